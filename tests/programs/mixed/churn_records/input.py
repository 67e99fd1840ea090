import tensorflow as tf


class ChurnInput(object):
    """Rows of customers, as records written by the export job."""

    FEATURES = {
        "months": tf.io.FixedLenFeature([], tf.float32),
        "calls": tf.io.FixedLenFeature([24], tf.float32),
        "plan": tf.io.FixedLenFeature([], tf.int64),
        "left": tf.io.FixedLenFeature([], tf.int64),
    }
    NOTES = dict(FEATURES, note=tf.io.VarLenFeature(tf.string))

    def __init__(self, files, batch_size, epochs=1, workers=8):
        self.files = files
        self.batch_size = batch_size
        self.epochs = epochs
        self.workers = workers

    def _decode(self, record):
        row = tf.io.parse_single_example(record, self.FEATURES)
        label = row.pop("left")
        row["calls"] = tf.math.log1p(row["calls"])
        return row, label

    def training(self):
        rows = tf.data.TFRecordDataset(self.files, num_parallel_reads=4)
        rows = rows.shuffle(100000).repeat(self.epochs)
        rows = rows.map(self._decode, num_parallel_calls=self.workers)  # finding: map-before-batch
        rows = rows.batch(self.batch_size)
        return rows.prefetch(2)

    def fused(self):
        rows = tf.data.TFRecordDataset(self.files, num_parallel_reads=4)
        fuse = tf.data.experimental.map_and_batch(self._decode, self.batch_size)  # finding: map-before-batch
        return rows.shuffle(100000).repeat(self.epochs).apply(fuse).prefetch(2)

    def scoring(self):
        rows = tf.data.TFRecordDataset(self.files, num_parallel_reads=4).batch(self.batch_size)
        rows = rows.map(
            lambda records: tf.io.parse_example(records, self.FEATURES), num_parallel_calls=4
        )
        return rows.prefetch(2)

    def pictures(self):
        rows = tf.data.TFRecordDataset(self.files, num_parallel_reads=4)

        def read(record):
            row = tf.io.parse_single_example(record, {"map": tf.io.FixedLenFeature([], tf.string)})
            return tf.image.resize(tf.io.decode_png(row["map"]), (64, 64))

        return rows.map(read, num_parallel_calls=8).batch(self.batch_size).prefetch(2)
