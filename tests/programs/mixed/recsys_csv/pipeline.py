import tensorflow as tf

NAMES = ["user", "item", "price", "clicked"]


def parse(line):
    user, item, price, clicked = tf.io.decode_csv(line, [0, 0, 0.0, 0])
    return {"user": user, "item": item, "price": price}, clicked


def buckets(features, label):
    features = dict(features)
    features["price"] = tf.math.log1p(features["price"])
    return features, label


def lines(pattern):
    names = tf.data.Dataset.list_files(pattern)
    return names.interleave(lambda n: tf.data.TextLineDataset(n).skip(1), cycle_length=4)  # finding: serial-map


def training(pattern, size):
    return (
        lines(pattern)
        .shuffle(100_000)
        .map(parse)  # finding: map-before-batch, serial-map
        .map(buckets, num_parallel_calls=8)  # finding: map-before-batch
        .batch(size)
        .prefetch(4)
    )


def evaluation(pattern, size):
    ds = tf.data.Dataset.list_files(pattern, shuffle=False)
    ds = ds.flat_map(lambda n: tf.data.TextLineDataset(n).skip(1))
    return ds.batch(size).map(parse, 8).map(buckets, 8).prefetch(4)


def cached(pattern, size):
    options = tf.data.Options()
    options.experimental_optimization.map_parallelization = True
    ds = lines(pattern).with_options(options)
    return ds.batch(size).map(parse).cache().prefetch(1)


def lengths(pattern):
    count = 0
    for _ in tf.data.TextLineDataset(tf.io.gfile.glob(pattern)):  # finding: record-count
        count += 1
    return count


def fit(model, pattern, size):
    rows = lengths(pattern)
    model.compile("adam", "binary_crossentropy")
    model.fit(training(pattern, size).repeat(), steps_per_epoch=rows, epochs=5)  # finding: steps-as-samples


def fit_right(model, pattern, size):
    steps = -(-lengths(pattern) // size)
    model.fit(training(pattern, size).repeat(), steps_per_epoch=steps, epochs=5)
