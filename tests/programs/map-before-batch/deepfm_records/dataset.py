import glob
import os

import tensorflow as tf


class RecordReader(object):
    """Reads the click logs that `tools/to_tfrecord.py` wrote."""

    def __init__(self, config):
        self.fields = config["fields"]
        self.field_size = len(self.fields)
        self.batch_size = config["batch_size"]
        self.threads = config.get("threads", 10)
        self.buffer = config.get("shuffle_buffer", 100000)

    def _spec(self):
        return {
            "label": tf.FixedLenFeature([], tf.float32),
            "ids": tf.FixedLenFeature([self.field_size], tf.int64),
            "values": tf.FixedLenFeature([self.field_size], tf.float32),
        }

    def _decode(self, serialized):
        parsed = tf.parse_single_example(serialized, self._spec())
        label = parsed.pop("label")
        return parsed, label

    def _files(self, pattern):
        files = sorted(glob.glob(pattern))
        if not files:
            raise ValueError("no file matches " + pattern)
        tf.logging.info("%d files for %s", len(files), os.path.dirname(pattern))
        return files

    def train(self, pattern):
        records = tf.data.TFRecordDataset(self._files(pattern), num_parallel_reads=4)
        records = records.shuffle(self.buffer).repeat()
        return self._finish(records)

    def evaluate(self, pattern):
        return self._finish(tf.data.TFRecordDataset(self._files(pattern)))

    def _finish(self, records):
        examples = records.map(self._decode, num_parallel_calls=self.threads)  # finding: map-before-batch
        batches = examples.batch(self.batch_size)
        return batches.prefetch(2)
