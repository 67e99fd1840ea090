# requires: tensorflow==2.4
"""Readers for the EyePACS fundus photographs (88k images, ~3000x2000 jpeg)."""
import tensorflow as tf

AUTO = tf.data.experimental.AUTOTUNE


class RecordSource:
    """Base class: subclasses say how an image is prepared."""

    schema = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "grade": tf.io.FixedLenFeature([], tf.int64),
    }

    def __init__(self, settings):
        self.s = settings

    def raw(self, pattern, shuffle):
        names = tf.data.Dataset.list_files(pattern, shuffle=shuffle)
        return names.interleave(
            lambda n: tf.data.TFRecordDataset(n, buffer_size=8 << 20),
            cycle_length=8,
            num_parallel_calls=AUTO,
            deterministic=not shuffle,
        )

    def decode(self, blob):
        ex = tf.io.parse_single_example(blob, self.schema)
        img = tf.io.decode_jpeg(ex["image"], channels=3)
        img = tf.image.resize(img, (self.s.side, self.s.side), antialias=True)
        return self.prepare(img), ex["grade"]

    def prepare(self, img):
        raise NotImplementedError

    def per_image(self, ds, fn, parallel=None):
        return ds.map(fn, num_parallel_calls=parallel)


class GrahamSource(RecordSource):
    """Ben Graham's local-average subtraction."""

    def prepare(self, img):
        low = tf.nn.avg_pool2d(img[None], 31, 1, "SAME")[0]
        return tf.clip_by_value(4.0 * (img - low) + 128.0, 0.0, 255.0) / 255.0

    def flip(self, img, grade):
        img = tf.image.random_flip_left_right(img)
        img = tf.image.random_brightness(img, 0.1)
        return img, grade

    def training(self):
        ds = self.raw(self.s.train_glob, True)
        ds = ds.map(self.decode)  # finding: serial-map
        ds = ds.shuffle(1000)
        ds = self.per_image(ds, self.flip, parallel=self.s.threads)
        return ds.batch(self.s.batch_size, drop_remainder=True).prefetch(2)

    def validation(self):
        ds = self.raw(self.s.valid_glob, False)
        ds = self.per_image(ds, self.decode)  # finding: serial-map
        return ds.batch(self.s.batch_size).prefetch(2)

    def smoke(self):
        blank = tf.data.Dataset.range(4).map(lambda i: (tf.zeros((self.s.side, self.s.side, 3)), i))
        return blank.batch(2)
