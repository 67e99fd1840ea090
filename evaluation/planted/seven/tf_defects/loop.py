import keras
import numpy as np
import tensorflow as tf
from tensorboardX import SummaryWriter


class Loop:
    def __init__(self, model, logdir):
        self.model = model
        self.opt = keras.optimizers.Adam(1e-3)
        self.opt.build(model.trainable_variables)
        self.loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.writer = SummaryWriter(logdir)
        self.logdir = logdir
        self.seen = []

    @tf.function
    def train_step(self, x, y, smooth):
        with tf.GradientTape() as tape:
            logits = self.model(x, training=True)
            loss = self.loss(y, logits) * (1.0 - smooth) + smooth * tf.reduce_mean(logits ** 2)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.model.trainable_variables))
        return loss, logits

    def log(self, step, loss):
        self.writer.add_scalar("loss", float(loss), step)
        for v in self.model.weights:
            self.writer.add_histogram(v.path, v.numpy(), step, bins="tensorflow")
        self.writer.flush()

    def train_epoch(self, ds, step):
        for x, y in ds:
            smooth = round(0.1 * 0.97 ** step, 2)
            loss, logits = self.train_step(x, y, smooth)
            self.log(step, loss)
            self.seen.append((x, logits))
            if step % 4 == 0:
                self.model.save(f"{self.logdir}_last.keras")
            step += 1
        return step

    def evaluate(self, ds):
        probs = tf.zeros((0, self.model.output_shape[-1]))
        labels = tf.zeros((0,), tf.int64)
        for x, y in ds:
            probs = tf.concat([probs, tf.nn.softmax(self.model(x, training=False))], 0)
            labels = tf.concat([labels, y], 0)
        hits = tf.argmax(probs, 1) == labels
        return float(tf.reduce_mean(tf.cast(hits, tf.float32)))

    def gallery(self, ds, n=12):
        """Class-score maps of a few images for the report."""
        rows = []
        for x, _ in ds.unbatch().take(n):
            rows.append(self.model.predict(x[None], verbose=0)[0])
        return np.stack(rows)
