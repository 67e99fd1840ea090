# requires: tensorflow==2.15.*
"""Distils a teacher into three students, one after another (course project, group 7)."""
import functools
import logging

import hydra
import numpy as np
import tensorflow as tf
from omegaconf import DictConfig

log = logging.getLogger(__name__)


def build(width, depth, classes):
    x = inputs = tf.keras.Input((32, 32, 3))
    for i in range(depth):
        x = tf.keras.layers.Conv2D(width * 2**i, 3, padding="same", activation="relu")(x)
        x = tf.keras.layers.MaxPool2D()(x)
    x = tf.keras.layers.GlobalAveragePooling2D()(x)
    return tf.keras.Model(inputs, tf.keras.layers.Dense(classes)(x))


def make_train_step(student, teacher, optimizer, temperature, alpha):
    """A step for this student: it is traced once, at the first batch."""
    hard = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    soft = tf.keras.losses.KLDivergence()

    @tf.function(jit_compile=True)
    def train_step(x, y):
        targets = tf.nn.softmax(teacher(x, training=False) / temperature)
        with tf.GradientTape() as tape:
            logits = student(x, training=True)
            loss = alpha * hard(y, logits)
            loss += (1 - alpha) * temperature**2 * soft(targets, tf.nn.softmax(logits / temperature))
        grads = tape.gradient(loss, student.trainable_variables)
        optimizer.apply_gradients(zip(grads, student.trainable_variables))
        return loss

    return train_step


@functools.lru_cache(maxsize=None)
def augmenter(kind):
    layers = {
        "none": [],
        "flip": [tf.keras.layers.RandomFlip("horizontal")],
        "full": [tf.keras.layers.RandomFlip("horizontal"), tf.keras.layers.RandomRotation(0.05)],
    }[kind]
    chain = tf.keras.Sequential(layers)
    return tf.function(lambda x: chain(x, training=True))


class Evaluator:
    def __init__(self, model):
        self.model = model
        self.predict = tf.function(
            lambda x: tf.argmax(model(x, training=False), -1),
            input_signature=[tf.TensorSpec([None, 32, 32, 3], tf.float32)],
        )

    def accuracy(self, data):
        right = total = 0
        for x, y in data:
            right += int(tf.reduce_sum(tf.cast(self.predict(x) == y, tf.int32)))
            total += len(y)
        return right / total


def distil(student, teacher, train, valid, cfg):
    optimizer = tf.keras.optimizers.Adam(cfg.lr)
    optimizer.build(student.trainable_variables)
    train_step = make_train_step(student, teacher, optimizer, cfg.temperature, cfg.alpha)
    evaluator = Evaluator(student)
    best = 0.0
    for epoch in range(cfg.epochs):
        losses = []
        for x, y in train:
            losses.append(train_step(augmenter(cfg.augment)(x), y))
        score = evaluator.accuracy(valid)
        log.info("epoch %d loss %.3f valid %.3f", epoch, np.mean(losses), score)
        if score > best:
            best = score
            student.save_weights(f"{student.name}.weights.h5")
    return best


@hydra.main(config_path="conf", config_name="distil", version_base=None)
def main(cfg: DictConfig):
    (x, y), (xv, yv) = tf.keras.datasets.cifar10.load_data()
    x, xv = x.astype("float32") / 255, xv.astype("float32") / 255
    y, yv = y[:, 0].astype("int64"), yv[:, 0].astype("int64")
    train = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(10000).batch(cfg.batch, drop_remainder=True)
    train = train.prefetch(tf.data.AUTOTUNE)
    valid = tf.data.Dataset.from_tensor_slices((xv, yv)).batch(500).prefetch(tf.data.AUTOTUNE)
    teacher = tf.keras.models.load_model(cfg.teacher)
    results = {}
    for spec in cfg.students:
        tf.keras.backend.clear_session()
        student = build(spec.width, spec.depth, 10)
        results[spec.name] = distil(student, teacher, train, valid, cfg)
    log.info("results %s", results)


if __name__ == "__main__":
    main()
