# requires: tensorflow==2.13.1
import tensorflow as tf


def log_price(row):
    return {"price": tf.math.log(row["price"]), "area": row["area"]}


def reasonable(row):
    return tf.logical_and(row["price"] > 8.0, row["area"] > 10.0)


def houses(columns, batch_size):
    rows = tf.data.Dataset.from_tensor_slices(columns)
    logged = rows.map(log_price, num_parallel_calls=tf.data.AUTOTUNE)
    kept = logged.filter(reasonable)
    return kept.shuffle(1000).batch(batch_size)
