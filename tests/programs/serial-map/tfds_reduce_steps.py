# requires: tensorflow==2.3.*, tensorflow-datasets
"""Fine-tunes a ResNet on a TFDS data set.

    python tfds_reduce_steps.py --dataset=stanford_dogs --image_size=224
"""
import functools

import tensorflow as tf
import tensorflow_datasets as tfds
from absl import app, flags, logging

FLAGS = flags.FLAGS
flags.DEFINE_string("dataset", "stanford_dogs", "name in the TFDS catalogue")
flags.DEFINE_integer("image_size", 224, "side of the input")
flags.DEFINE_integer("batch_size", 64, "examples per step")
flags.DEFINE_integer("epochs", 30, "passes over the data")
flags.DEFINE_float("lr", 0.05, "peak learning rate")
flags.DEFINE_bool("augment", True, "whether training pictures are distorted")


def unpack(example):
    return example["image"], example["label"]


def resize(size):
    def apply(image, label):
        return tf.image.resize(tf.cast(image, tf.float32), (size, size)), label

    return apply


def distort(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_hue(image, 0.05)
    image = tf.image.random_contrast(image, 0.8, 1.2)
    return image, label


def compose(dataset, steps):
    return functools.reduce(lambda ds, step: ds.map(step), steps, dataset)  # note: serial-map


def load(split, training):
    dataset, info = tfds.load(FLAGS.dataset, split=split, with_info=True, shuffle_files=training)
    logging.info("%s has %d examples", split, info.splits[split].num_examples)
    steps = [unpack, resize(FLAGS.image_size)]
    if training:
        dataset = dataset.shuffle(4096)
        if FLAGS.augment:
            steps.append(distort)
    dataset = compose(dataset, steps)
    dataset = dataset.batch(FLAGS.batch_size, drop_remainder=training)
    return dataset.prefetch(tf.data.experimental.AUTOTUNE), info


class LogLearningRate(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        lr = tf.keras.backend.get_value(self.model.optimizer.lr)
        logging.info("epoch %d: lr %.5f, %s", epoch, lr, logs)


def cosine(epoch):
    return FLAGS.lr * 0.5 * (1 + float(tf.math.cos(epoch / FLAGS.epochs * 3.14159)))


def build(classes):
    base = tf.keras.applications.ResNet50V2(include_top=False, pooling="avg")
    inputs = tf.keras.Input((FLAGS.image_size, FLAGS.image_size, 3))
    x = tf.keras.applications.resnet_v2.preprocess_input(inputs)
    x = base(x)
    outputs = tf.keras.layers.Dense(classes)(x)
    model = tf.keras.Model(inputs, outputs)
    model.compile(
        tf.keras.optimizers.SGD(FLAGS.lr, momentum=0.9, nesterov=True),
        tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        ["accuracy"],
    )
    return model


def main(argv):
    del argv
    train, info = load("train", training=True)
    test, _ = load("test", training=False)
    model = build(info.features["label"].num_classes)
    model.fit(
        train,
        validation_data=test,
        epochs=FLAGS.epochs,
        callbacks=[tf.keras.callbacks.LearningRateScheduler(cosine), LogLearningRate()],
    )
    model.save("dogs")


if __name__ == "__main__":
    app.run(main)
