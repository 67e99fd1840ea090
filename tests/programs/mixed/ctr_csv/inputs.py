import tensorflow as tf

import columns


def csv_input(pattern, batch_size, epochs=1):
    def input_fn():
        files = tf.data.Dataset.list_files(pattern)
        lines = files.interleave(lambda f: tf.data.TextLineDataset(f).skip(1), cycle_length=4)  # finding: serial-map
        rows = lines.map(columns.parse_line)  # finding: serial-map, map-before-batch
        rows = rows.shuffle(buffer_size=100000).repeat(epochs)
        return rows.batch(batch_size).prefetch(1)

    return input_fn


def record_input(files, batch_size):
    def input_fn():
        ds = tf.data.TFRecordDataset(files, num_parallel_reads=8)
        ds = ds.shuffle(10000).repeat()
        ds = ds.map(columns.parse_example, num_parallel_calls=8)  # finding: map-before-batch
        ds = ds.batch(batch_size)
        return ds.prefetch(1).make_one_shot_iterator().get_next()

    return input_fn


def fast_record_input(files, batch_size):
    def input_fn():
        ds = tf.data.TFRecordDataset(files, num_parallel_reads=8)
        ds = ds.shuffle(10000).repeat().batch(batch_size)
        ds = ds.map(columns.parse_batch, num_parallel_calls=8)
        return ds.prefetch(1)

    return input_fn


def frame_input(frame, batch_size):
    return tf.estimator.inputs.pandas_input_fn(frame, frame.pop("label"), batch_size=batch_size, shuffle=False)
