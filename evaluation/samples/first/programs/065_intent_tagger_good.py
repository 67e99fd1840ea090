"""Token tagger for voice assistant intents (custom loop)."""
import argparse
import json

import keras
import tensorflow as tf
from keras import layers


def build_model(vocab, tags, dim=256):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab, dim, mask_zero=True)(ids)
    x = layers.Bidirectional(layers.LSTM(dim, return_sequences=True))(x)
    x = layers.Dropout(0.2)(x)
    return keras.Model(ids, layers.Dense(tags, dtype="float32")(x))


def examples(path):
    with open(path, encoding="utf-8") as fh:
        rows = [json.loads(line) for line in fh]
    tokens = tf.ragged.constant([r["ids"] for r in rows], dtype=tf.int32)
    labels = tf.ragged.constant([r["tags"] for r in rows], dtype=tf.int32)
    return tokens, labels


def make_dataset(path, batch_size):
    ds = tf.data.Dataset.from_tensor_slices(examples(path))
    ds = ds.shuffle(20_000)
    ds = ds.map(lambda a, b: (tf.convert_to_tensor(a), tf.convert_to_tensor(b)),
                num_parallel_calls=tf.data.AUTOTUNE)
    ds = ds.padded_batch(batch_size, padded_shapes=([None], [None]))
    return ds.prefetch(tf.data.AUTOTUNE)


class Runner:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = keras.optimizers.Adam(lr)
        self.loss_fn = keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction="none")
        self.mean_loss = keras.metrics.Mean()

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32),
                                  tf.TensorSpec([None, None], tf.int32)])
    def train_step(self, tokens, labels):
        weight = tf.cast(tokens > 0, tf.float32)
        with tf.GradientTape() as tape:
            logits = self.model(tokens, training=True)
            per_token = self.loss_fn(labels, logits)
            loss = tf.reduce_sum(per_token * weight) / tf.reduce_sum(weight)
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.model.trainable_variables))
        self.mean_loss.update_state(loss)

    def fit(self, ds, epochs):
        for epoch in range(epochs):
            self.mean_loss.reset_state()
            for tokens, labels in ds:
                self.train_step(tokens, labels)
            print(f"epoch {epoch} loss {float(self.mean_loss.result()):.4f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("train_file")
    p.add_argument("--vocab", type=int, default=30000)
    p.add_argument("--tags", type=int, default=73)
    p.add_argument("--epochs", type=int, default=8)
    p.add_argument("--batch-size", type=int, default=64)
    args = p.parse_args()
    runner = Runner(build_model(args.vocab, args.tags), lr=1e-3)
    runner.fit(make_dataset(args.train_file, args.batch_size), args.epochs)
    runner.model.save("tagger.keras")


if __name__ == "__main__":
    main()
