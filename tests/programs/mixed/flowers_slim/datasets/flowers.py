"""Provides data for the flowers dataset, converted to TFRecords."""

import os

import tensorflow as tf

from preprocessing import inception

slim = tf.contrib.slim

_FILE_PATTERN = "flowers_%s_*.tfrecord"
SPLITS_TO_SIZES = {"train": 3320, "validation": 350}
_NUM_CLASSES = 5


def _parse(serialized, size, is_training):
    features = tf.parse_single_example(
        serialized,
        features={
            "image/encoded": tf.FixedLenFeature((), tf.string, default_value=""),
            "image/class/label": tf.FixedLenFeature([], tf.int64),
        },
    )
    image = tf.image.decode_jpeg(features["image/encoded"], channels=3)
    image = inception.preprocess_image(image, size, size, is_training)
    return image, slim.one_hot_encoding(features["image/class/label"], _NUM_CLASSES)


def get_split(split_name, dataset_dir, batch_size, size, num_readers=4, num_threads=4):
    """Batches of one split, as an iterator's tensors."""
    if split_name not in SPLITS_TO_SIZES:
        raise ValueError("split name %s was not recognized." % split_name)
    is_training = split_name == "train"
    pattern = os.path.join(dataset_dir, _FILE_PATTERN % split_name)
    files = tf.data.Dataset.list_files(pattern, shuffle=is_training)
    if is_training:
        dataset = files.apply(
            tf.contrib.data.parallel_interleave(tf.data.TFRecordDataset, cycle_length=num_readers)
        )
        dataset = dataset.shuffle(2000).repeat()
        dataset = dataset.map(lambda x: _parse(x, size, True), num_threads)
    else:
        dataset = files.interleave(tf.data.TFRecordDataset, cycle_length=num_readers)  # finding: serial-map
        dataset = dataset.map(lambda x: _parse(x, size, False))  # finding: serial-map
    dataset = dataset.batch(batch_size).prefetch(1)
    return dataset.make_one_shot_iterator().get_next()


def label_names(dataset_dir):
    """The names of the classes; there are five of them."""
    names = tf.data.Dataset.from_tensor_slices(["daisy", "dandelion", "roses", "sunflowers", "tulips"])
    names = names.map(tf.strings.strip) if hasattr(tf.strings, "strip") else names
    iterator = names.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as sess:
        for _ in range(_NUM_CLASSES):
            found.append(sess.run(iterator).decode())
    return found
