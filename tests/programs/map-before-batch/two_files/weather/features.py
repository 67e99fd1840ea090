import tensorflow as tf

KELVIN = 273.15


def celsius(readings):
    """Temperatures and humidity of one hour, both scalars."""
    return {
        "temperature": readings["temperature"] - KELVIN,
        "humidity": tf.sigmoid(readings["humidity"]),
    }


def with_features(dataset):
    return dataset.map(celsius, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
