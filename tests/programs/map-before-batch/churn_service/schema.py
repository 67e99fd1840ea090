"""The columns of the nightly export and how they are encoded."""
import tensorflow as tf

NUMERIC = ["tenure", "charges", "calls", "minutes"]
CATEGORICAL = {
    "plan": ["basic", "plus", "family", "business"],
    "region": ["north", "south", "east", "west"],
}
LABEL = "churned"


def record_defaults():
    return [[0.0]] * len(NUMERIC) + [[""]] * len(CATEGORICAL) + [[0]]


def names():
    return NUMERIC + list(CATEGORICAL) + [LABEL]


def lookups():
    return {
        name: tf.keras.layers.StringLookup(vocabulary=words, output_mode="int")
        for name, words in CATEGORICAL.items()
    }
