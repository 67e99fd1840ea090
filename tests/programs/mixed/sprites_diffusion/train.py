import argparse

import tensorflow as tf
from diffusion import Diffusion, Schedule
from tensorflow.keras import layers


def build(size, steps, width=64):
    image = layers.Input((size, size, 3))
    time = layers.Input((), dtype="int32")
    embedded = layers.Dense(width)(layers.Embedding(steps, width)(time))
    x = layers.Conv2D(width, 3, padding="same")(image)
    for _ in range(4):
        h = layers.LayerNormalization()(x)
        h = layers.Conv2D(width, 3, padding="same", activation="swish")(h)
        x = x + h + embedded[:, None, None, :]
    return tf.keras.Model([image, time], layers.Conv2D(3, 3, padding="same")(x))


def sprites(pattern, size, batch):
    def read(path):
        image = tf.io.decode_png(tf.io.read_file(path), channels=3)
        return tf.image.resize(image, (size, size)) / 127.5 - 1.0

    files = tf.data.Dataset.list_files(pattern)
    images = files.map(read, num_parallel_calls=tf.data.AUTOTUNE).cache()
    return images.shuffle(2048).batch(batch, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sprites", default="sprites/*.png")
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--sample-every", type=int, default=25)
    args = parser.parse_args()
    schedule = Schedule()
    model = Diffusion(build(32, schedule.steps), schedule)
    optimizer = tf.keras.optimizers.Adam(2e-4)
    data = sprites(args.sprites, 32, 64)
    for epoch in range(args.epochs):
        mean = tf.keras.metrics.Mean()
        for batch in data:
            mean.update_state(model.train_step(batch, optimizer))
        print(epoch, float(mean.result()))
        if epoch % args.sample_every == 0:
            images = model.sample(16)
            for number, image in enumerate(images[:4]):
                tf.keras.utils.save_img(f"sample_{epoch}_{number}.png", image)


if __name__ == "__main__":
    main()
