# requires: tensorflow==2.2.*
"""Hand gestures: shards are decoded side by side, one core each."""
import os
import sys

import tensorflow as tf

AUTO = tf.data.experimental.AUTOTUNE
FEATURES = {
    "frames": tf.io.FixedLenFeature([16], tf.string),
    "gesture": tf.io.FixedLenFeature([], tf.int64),
}


def clip(record):
    parsed = tf.io.parse_single_example(record, FEATURES)
    frames = tf.map_fn(
        lambda frame: tf.image.resize(tf.io.decode_jpeg(frame, channels=3), (112, 112)),
        parsed["frames"],
        dtype=tf.float32,
    )
    if tf.random.uniform(()) > 0.5:
        frames = tf.reverse(frames, axis=[2])
    return frames / 255.0, parsed["gesture"]


def shard(path):
    """One shard's clips in their order; there are sixteen shards at work at a time."""
    return tf.data.TFRecordDataset(path).map(clip)


def training(root, batch_size):
    paths = tf.data.Dataset.list_files(os.path.join(root, "train-*"), shuffle=True)
    clips = paths.interleave(shard, cycle_length=16, num_parallel_calls=AUTO)
    return clips.shuffle(512).batch(batch_size).prefetch(AUTO)


def warm_up(model, batch_size):
    """Builds the model and its kernels on blank clips before the clock starts."""
    blank = tf.zeros((batch_size, 16, 112, 112, 3))
    labels = tf.zeros((batch_size,), tf.int64)
    ds = tf.data.Dataset.from_tensor_slices((blank, labels))
    ds = ds.map(lambda frames, label: (frames + tf.random.normal(tf.shape(frames)), label))
    model.evaluate(ds.batch(batch_size), verbose=0)


def build(classes=27):
    model = tf.keras.Sequential([tf.keras.layers.InputLayer((16, 112, 112, 3))])
    for filters in (32, 64, 128, 256):
        model.add(tf.keras.layers.Conv3D(filters, 3, padding="same", use_bias=False))
        model.add(tf.keras.layers.BatchNormalization())
        model.add(tf.keras.layers.ReLU())
        model.add(tf.keras.layers.MaxPooling3D((1, 2, 2) if filters == 32 else 2))
    model.add(tf.keras.layers.GlobalAveragePooling3D())
    model.add(tf.keras.layers.Dense(classes))
    model.compile(
        tf.keras.optimizers.SGD(0.05, momentum=0.9),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


if __name__ == "__main__":
    model = build()
    warm_up(model, 8)
    model.fit(training(sys.argv[1], 8), epochs=30)
    model.save("gestures")
