import argparse

import numpy as np
import tensorflow as tf

from faststyle.model import StyleTransfer


def photos(pattern, batch_size):
    def load(path):
        image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
        return tf.image.resize(tf.image.convert_image_dtype(image, tf.float32), (256, 256))

    files = tf.data.Dataset.list_files(pattern).shuffle(10_000)
    images = files.map(load, num_parallel_calls=tf.data.AUTOTUNE)
    return images.batch(batch_size, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--style", required=True)
    parser.add_argument("--photos", default="coco/train2017/*.jpg")
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()

    style = tf.keras.utils.load_img(args.style, target_size=(512, 512))
    model = StyleTransfer(np.asarray(style, "float32") / 255.0)
    model.compile(optimizer=tf.keras.optimizers.Adam(1e-3))
    model.fit(photos(args.photos, 4), epochs=args.epochs)
    model.generator.save("generator.keras")


if __name__ == "__main__":
    main()
