# requires: tensorflow==2.0.*
"""OCR lines of three sources, mixed by weights; maps stand in comprehensions and conditions."""
import glob

import tensorflow as tf

SOURCES = {"scans": 0.6, "photos": 0.3, "synthetic": 0.1}
CHARS = tf.constant(list("abcdefghijklmnopqrstuvwxyz0123456789 .,-"))
HEIGHT, WIDTH = 32, 512

FEATURES = {"png": tf.io.FixedLenFeature([], tf.string), "text": tf.io.FixedLenFeature([], tf.string)}


def parse(record):
    example = tf.io.parse_single_example(record, FEATURES)
    image = tf.image.decode_png(example["png"], channels=1)
    image = tf.image.resize_with_pad(tf.cast(image, tf.float32), HEIGHT, WIDTH)
    chars = tf.strings.unicode_split(tf.strings.lower(example["text"]), "UTF-8")
    label = tf.argmax(tf.cast(chars[:, None] == CHARS[None], tf.int32), 1)
    return image / 255.0, label


def blur(image, label):
    noise = tf.random.normal(tf.shape(image), stddev=0.05)
    return tf.clip_by_value(image + noise, 0.0, 1.0), label


def pad(image, label):
    return image, tf.pad(label, [[0, 64 - tf.shape(label)[0]]], constant_values=-1)


def source(name):
    files = sorted(glob.glob("/data/ocr/%s-*.tfrecord" % name))
    return tf.data.TFRecordDataset(files).shuffle(5000).repeat()


def mixed(batch_size, noisy):
    parts = [source(name).map(parse) for name in SOURCES]  # finding: serial-map
    ds = tf.data.experimental.sample_from_datasets(parts, list(SOURCES.values()))
    ds = ds.map(blur) if noisy else ds  # note: serial-map
    ds = ds.filter(lambda image, label: tf.shape(label)[0] <= 64)
    ds = ds.map(pad, num_parallel_calls=4)
    return ds.batch(batch_size, drop_remainder=True).prefetch(1)


class CTC(tf.keras.losses.Loss):
    def call(self, labels, logits):
        lengths = tf.reduce_sum(tf.cast(labels >= 0, tf.int32), 1)
        steps = tf.fill([tf.shape(logits)[0]], tf.shape(logits)[1])
        return tf.nn.ctc_loss(tf.maximum(labels, 0), logits, lengths, steps, logits_time_major=False)


def crnn(classes):
    inputs = tf.keras.Input((HEIGHT, WIDTH, 1))
    x = inputs
    for width in (32, 64, 128):
        x = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")(x)
        x = tf.keras.layers.MaxPooling2D((2, 2))(x)
    x = tf.keras.layers.Permute((2, 1, 3))(x)
    x = tf.keras.layers.Reshape((WIDTH // 8, HEIGHT // 8 * 128))(x)
    x = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(128, return_sequences=True))(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(classes + 1)(x))


if __name__ == "__main__":
    model = crnn(int(CHARS.shape[0]))
    model.compile("adam", CTC())
    model.fit(mixed(64, noisy=True), steps_per_epoch=2000, epochs=20)
