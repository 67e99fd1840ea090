import tensorflow as tf

from columns import CSV_COLUMNS, CSV_DEFAULTS, LABEL, UNUSED


def parse_csv(value):
    fields = tf.io.decode_csv(value, record_defaults=CSV_DEFAULTS)
    features = dict(zip(CSV_COLUMNS, fields))
    for name in UNUSED:
        features.pop(name)
    label = features.pop(LABEL)
    return features, tf.equal(label, ">50K")


def make_input_fn(filename, epochs, batch_size, shuffle=True, workers=8):
    if not tf.gfile.Exists(filename):
        raise IOError("%s: run data_download.py first" % filename)

    def input_fn():
        dataset = tf.data.TextLineDataset(filename)
        if shuffle:
            dataset = dataset.shuffle(buffer_size=32561)
        dataset = dataset.map(parse_csv, num_parallel_calls=workers)  # finding: map-before-batch
        dataset = dataset.repeat(epochs)
        dataset = dataset.batch(batch_size)
        return dataset.prefetch(1)

    return input_fn
