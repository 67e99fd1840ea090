# requires: tensorflow==2.14.*
"""Pairs of picture and caption for a small CLIP: one of five captions is drawn for each picture."""

import dataclasses
import json

import tensorflow as tf


@dataclasses.dataclass
class Settings:
    records: str = "coco/train-*.tfrecord"
    vocabulary: str = "coco/words.txt"
    image_size: int = 224
    length: int = 32
    batch_size: int = 256
    shuffle: int = 20_000


SPEC = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "captions": tf.io.FixedLenSequenceFeature([], tf.string, allow_missing=True),
}


class Pairs:
    def __init__(self, settings):
        self.settings = settings
        init = tf.lookup.TextFileInitializer(
            settings.vocabulary, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER
        )
        self.words = tf.lookup.StaticVocabularyTable(init, num_oov_buckets=1)

    def example(self, serialized):
        parsed = tf.io.parse_single_example(serialized, SPEC)
        image = tf.io.decode_jpeg(parsed["image"], channels=3)
        image = tf.image.resize(image, [self.settings.image_size] * 2)
        return image, parsed["captions"]

    def draw(self, image, captions):
        index = tf.random.uniform([], maxval=tf.size(captions), dtype=tf.int32)
        return image, captions[index]

    def flip(self, image, caption):
        image = tf.cond(tf.random.uniform([]) < 0.5, lambda: tf.reverse(image, axis=[1]), lambda: image)
        return image, caption

    def ids(self, images, captions):
        tokens = tf.strings.split(tf.strings.lower(captions))
        ids = self.words.lookup(tokens).to_tensor(shape=[None, self.settings.length])
        return tf.cast(images, tf.float32) / 127.5 - 1.0, ids

    def __call__(self):
        s = self.settings
        files = tf.data.Dataset.list_files(s.records)
        ds = files.interleave(tf.data.TFRecordDataset, cycle_length=16, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.shuffle(s.shuffle)
        ds = ds.map(self.example, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.map(self.draw, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.map(self.flip, num_parallel_calls=tf.data.AUTOTUNE)
        ds = ds.batch(s.batch_size, drop_remainder=True)
        return ds.map(self.ids, num_parallel_calls=tf.data.AUTOTUNE).prefetch(2)


class Tower(tf.keras.layers.Layer):
    def __init__(self, encoder, width):
        super().__init__()
        self.encoder = encoder
        self.project = tf.keras.layers.Dense(width, use_bias=False)

    def call(self, x, training=False):
        return tf.math.l2_normalize(self.project(self.encoder(x, training=training)), axis=-1)


class Clip(tf.keras.Model):
    def __init__(self, words, width=256):
        super().__init__()
        backbone = tf.keras.applications.MobileNetV3Small(include_top=False, pooling="avg")
        text = tf.keras.Sequential([
            tf.keras.layers.Embedding(words, width, mask_zero=True),
            tf.keras.layers.Bidirectional(tf.keras.layers.GRU(width)),
        ])
        self.image, self.text = Tower(backbone, width), Tower(text, width)
        self.scale = tf.Variable(2.7, name="scale")

    def train_step(self, batch):
        images, ids = batch
        with tf.GradientTape() as tape:
            logits = tf.exp(self.scale) * self.image(images, True) @ tf.transpose(self.text(ids, True))
            target = tf.range(tf.shape(logits)[0])
            one = tf.keras.losses.sparse_categorical_crossentropy(target, logits, from_logits=True)
            two = tf.keras.losses.sparse_categorical_crossentropy(target, tf.transpose(logits), from_logits=True)
            loss = tf.reduce_mean(one + two) / 2
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        return {"loss": loss}


if __name__ == "__main__":
    with open("settings.json") as f:
        settings = Settings(**json.load(f))
    pairs = Pairs(settings)
    model = Clip(int(pairs.words.size()))
    model.compile(tf.keras.optimizers.AdamW(1e-4))
    model.fit(pairs(), epochs=30)
