import tensorflow as tf
from packer.packing import pack


def test_rows_are_padded_to_length():
    sequences = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
    rows = list(pack(sequences, 6))
    assert rows[0].shape == (4, 6)


def test_rows_keep_their_order():
    sequences = tf.data.Dataset.range(4).map(lambda n: tf.fill([2], n))
    (rows,) = pack(sequences, 2)
    assert rows[:, 0].numpy().tolist() == [0, 1, 2, 3]
