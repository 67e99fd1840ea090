import tensorflow as tf

from . import schema


def build(config):
    numeric = ["pickup_lon", "pickup_lat", "dropoff_lon", "dropoff_lat", "passengers", "euclidean", "is_night"]
    inputs = {name: tf.keras.Input((), name=name, dtype=tf.float32) for name in numeric}
    inputs["weekday_hour"] = tf.keras.Input((), name="weekday_hour", dtype=tf.int32)
    inputs["vendor"] = tf.keras.Input((), name="vendor", dtype=tf.string)

    dense = tf.stack([inputs[name] for name in numeric], axis=-1)
    hours = tf.keras.layers.Embedding(24 * 8, 8)(inputs["weekday_hour"])
    vendor = tf.keras.layers.StringLookup(vocabulary=schema.VENDORS, output_mode="one_hot")(inputs["vendor"])
    x = tf.keras.layers.Concatenate()([dense, hours, vendor])
    for width in config.hidden:
        x = tf.keras.layers.Dense(width, activation="relu")(x)
    fare = tf.keras.layers.Dense(1)(x)
    return tf.keras.Model(inputs, tf.squeeze(fare, -1))
