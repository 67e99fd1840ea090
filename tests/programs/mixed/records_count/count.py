import tensorflow as tf

FEATURES = {
    "image": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def size_by_loop(files):
    size = 0
    for _ in tf.data.TFRecordDataset(files):  # finding: record-count
        size += 1
    return size


def size_by_sum(files):
    return sum(1 for _ in tf.data.TFRecordDataset(files))  # finding: record-count


def size_by_reduce(files):
    records = tf.data.TFRecordDataset(files, num_parallel_reads=8)
    return records.reduce(tf.constant(0, tf.int64), lambda n, _: n + 1).numpy()


def label_histogram(files):
    counts = [0] * 10
    for record in tf.data.TFRecordDataset(files):
        example = tf.train.Example.FromString(record.numpy())
        counts[example.features.feature["label"].int64_list.value[0]] += 1
    return counts
