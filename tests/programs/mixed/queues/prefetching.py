import tensorflow as tf


def images(pattern, batch):
    ds = tf.data.Dataset.list_files(pattern)
    ds = ds.map(lambda p: tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(p), 3), (224, 224)), num_parallel_calls=8)
    return ds.repeat().batch(batch)


def prefetched(pattern, batch):
    ds = tf.data.Dataset.list_files(pattern)
    ds = ds.map(lambda p: tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(p), 3), (224, 224)), num_parallel_calls=8)
    return ds.repeat().batch(batch).prefetch(tf.data.experimental.AUTOTUNE)


def train(model, pattern, epochs):
    model.compile("adam", "mse")
    model.fit(images(pattern, 32), steps_per_epoch=100, epochs=epochs)


def train_prefetched(model, pattern, epochs):
    ds = prefetched(pattern, 32)
    for _ in range(epochs):
        for batch in ds.take(100):
            model.train_on_batch(batch, batch)


def total(pattern):
    return sum(1 for _ in tf.data.TFRecordDataset(tf.io.gfile.glob(pattern)))  # finding: record-count
