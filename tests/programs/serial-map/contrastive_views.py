# requires: tensorflow==2.15.*
"""SimCLR on CIFAR-10, TF 2.15."""
import dataclasses

import tensorflow as tf
from tensorflow import keras

AUTO = tf.data.AUTOTUNE


@dataclasses.dataclass(frozen=True)
class Settings:
    batch_size: int = 512
    epochs: int = 200
    temperature: float = 0.1
    strength: float = 0.5
    root: str = "/data/unlabelled"


def decode(path):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    return tf.image.resize(tf.image.convert_image_dtype(image, tf.float32), (96, 96))


class Augmenter:
    def __init__(self, settings):
        self.s = settings.strength

    def jitter(self, image):
        image = tf.image.random_brightness(image, 0.8 * self.s)
        image = tf.image.random_contrast(image, 1 - 0.8 * self.s, 1 + 0.8 * self.s)
        image = tf.image.random_saturation(image, 1 - 0.8 * self.s, 1 + 0.8 * self.s)
        return tf.clip_by_value(tf.image.random_hue(image, 0.2 * self.s), 0.0, 1.0)

    def crop(self, image):
        size = tf.random.uniform([], 32, 96, dtype=tf.int32)
        image = tf.image.random_crop(image, [size, size, 3])
        return tf.image.resize(image, (96, 96))

    def view(self, image):
        return self.jitter(tf.image.random_flip_left_right(self.crop(image)))

    def two_views(self, image):
        return self.view(image), self.view(image)


def load(settings):
    augmenter = Augmenter(settings)
    files = tf.data.Dataset.list_files(settings.root + "/*.jpg")
    images = files.map(decode)
    views = images.shuffle(4096).map(augmenter.two_views)  # note: serial-map
    return views.batch(settings.batch_size, drop_remainder=True).prefetch(AUTO)


class SimCLR(keras.Model):
    def __init__(self, settings):
        super().__init__()
        self.encoder = keras.applications.ResNet50(
            include_top=False, weights=None, pooling="avg", input_shape=(96, 96, 3))
        self.head = keras.Sequential([
            keras.layers.Dense(512, activation="relu"), keras.layers.Dense(128)])
        self.temperature = settings.temperature

    def nt_xent(self, a, b):
        a, b = tf.math.l2_normalize(a, 1), tf.math.l2_normalize(b, 1)
        logits = tf.matmul(a, b, transpose_b=True) / self.temperature
        labels = tf.range(tf.shape(a)[0])
        loss = keras.losses.sparse_categorical_crossentropy
        return (loss(labels, logits, from_logits=True)
                + loss(labels, tf.transpose(logits), from_logits=True)) / 2

    def train_step(self, views):
        a, b = views
        with tf.GradientTape() as tape:
            za = self.head(self.encoder(a, training=True), training=True)
            zb = self.head(self.encoder(b, training=True), training=True)
            loss = tf.reduce_mean(self.nt_xent(za, zb))
        weights = self.encoder.trainable_weights + self.head.trainable_weights
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
        return {"loss": loss}


def main():
    settings = Settings()
    model = SimCLR(settings)
    model.compile(optimizer=keras.optimizers.Adam(1e-3))
    model.fit(load(settings), epochs=settings.epochs)
    model.encoder.save_weights("encoder.weights.h5")


if __name__ == "__main__":
    main()
