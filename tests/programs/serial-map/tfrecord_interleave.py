# requires: tensorflow==2.12.0
"""Sharded click logs."""
import tensorflow as tf

FEATURES = {
    "clicked": tf.io.FixedLenFeature([], tf.int64),
    "words": tf.io.VarLenFeature(tf.string),
}


def make_dataset(pattern, batch_size):
    shards = tf.data.Dataset.list_files(pattern, shuffle=True)
    records = shards.interleave(  # finding: serial-map
        lambda shard: tf.data.TFRecordDataset(shard, buffer_size=1 << 20),
        cycle_length=16,
        block_length=32,
    )
    return (
        records.shuffle(100_000)
        .batch(batch_size)
        .map(
            lambda serialized: tf.io.parse_example(serialized, FEATURES),
            num_parallel_calls=tf.data.AUTOTUNE,
        )
        .prefetch(tf.data.AUTOTUNE)
    )


if __name__ == "__main__":
    train = make_dataset("gs://clicks/train-*.tfrecord", 4096)
    for batch in train.take(1):
        print(batch["clicked"].shape)
