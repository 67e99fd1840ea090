import json
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf


class Stager:
    def __init__(self, model, weights, cfg, out_dir: Path):
        self.model = model
        self.weights = weights
        self.cfg = cfg
        self.out_dir = Path(out_dir)
        self.optimizer = keras.optimizers.AdamW(cfg.lr)
        self.optimizer.build(model.trainable_variables)
        self.mean_loss = keras.metrics.Mean()
        self.accuracy = keras.metrics.SparseCategoricalAccuracy()
        self.log = open(self.out_dir / "log.jsonl", "w")
        self.step = 0
        self.best = -1.0

    @tf.function
    def train_step(self, x, y, lr):
        self.optimizer.learning_rate.assign(lr)
        with tf.GradientTape() as tape:
            logits = self.model(x, training=True)
            each = tf.nn.sparse_softmax_cross_entropy_with_logits(y, logits)
            loss = tf.reduce_mean(each * tf.gather(self.weights, y))
        variables = self.model.trainable_variables
        gradients = tape.gradient(loss, variables)
        gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
        self.optimizer.apply_gradients(zip(gradients, variables))
        return loss, logits, norm

    def _write(self, **fields):
        self.log.write(json.dumps({"step": self.step, **fields}) + "\n")
        self.log.flush()

    def _log_step(self, loss, norm):
        self._write(loss=float(loss), gradient_norm=float(norm))
        self._log_weights()

    def _log_weights(self):
        for v in self.model.trainable_variables:
            values = v.numpy().ravel()
            counts, edges = np.histogram(values, bins=64)
            low, mid, high = np.percentile(values, [5, 50, 95])
            self._write(
                name=v.path, counts=counts.tolist(), edges=edges.tolist(), spread=[float(low), float(mid), float(high)]
            )

    def train_epoch(self, dataset, epoch):
        self.mean_loss.reset_state()
        self.accuracy.reset_state()
        lr = self.cfg.lr * self.cfg.decay**epoch
        for x, y in dataset:
            loss, logits, norm = self.train_step(x, y, lr)
            self.step += 1
            self.mean_loss.update_state(loss)
            self.accuracy.update_state(y, logits)
            self._log_step(loss, norm)
        return float(self.mean_loss.result()), float(self.accuracy.result())

    def evaluate(self, dataset):
        hits, total = 0, 0
        for x, y in dataset.unbatch().batch(1):
            logits = self.model(x, training=False)
            hits += int(tf.argmax(logits, axis=-1)[0] == y[0])
            total += 1
        return hits / total

    def fit(self, train, val):
        path = self.out_dir / "best.keras"
        for epoch in range(self.cfg.epochs):
            loss, accuracy = self.train_epoch(train.dataset(epoch), epoch)
            score = self.evaluate(val.dataset(epoch))
            if score >= self.best:
                self.best = score
                self.model.save(path)
            print(f"epoch {epoch} loss {loss:.4f} accuracy {accuracy:.4f} val {score:.4f}")
        return path
