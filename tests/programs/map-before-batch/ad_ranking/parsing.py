"""One parser per format of the logs."""
import tensorflow as tf

import schema


def parse_csv(line):
    values = tf.io.decode_csv(line, record_defaults=schema.DEFAULTS)
    features = dict(zip(schema.NAMES, values))
    label = features.pop("clicked")
    return features, label


class ExampleParser(object):
    """For the logs that Beam writes as tf.Example."""

    def __init__(self, label="clicked"):
        self.spec = schema.example_spec()
        self.label = label

    def __call__(self, serialized):
        features = tf.io.parse_single_example(serialized, self.spec)
        return features, features.pop(self.label)
