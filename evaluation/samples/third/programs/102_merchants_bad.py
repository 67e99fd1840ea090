"""Next-merchant prediction from card-transaction histories (Keras 3, TensorFlow backend).

transactions.npz: "merchants" int32 [n, 33] (0 = none), "amounts" float32 [n, 33]
"""
import argparse

import keras
import numpy as np
from keras import layers, ops

N_MERCHANTS = 20_000
HISTORY = 32


@keras.saving.register_keras_serializable("cards")
class MerchantVectors(layers.Layer):
    """Looks up a trainable vector for each merchant and adds its position in the history."""

    def __init__(self, n_merchants, dim, **kwargs):
        super().__init__(**kwargs)
        self.n_merchants = n_merchants
        self.dim = dim

    def build(self, input_shape):
        self.table = self.add_weight(
            name="table", shape=(self.n_merchants, self.dim), initializer="uniform"
        )
        self.position = self.add_weight(
            name="position", shape=(input_shape[-1], self.dim), initializer="zeros"
        )

    def vectors(self, merchants):
        codes = ops.one_hot(merchants, self.n_merchants, dtype=self.compute_dtype)
        return ops.matmul(codes, self.table)

    def call(self, merchants):
        return self.vectors(merchants) + self.position

    def get_config(self):
        return {**super().get_config(), "n_merchants": self.n_merchants, "dim": self.dim}


def encoder_block(x, heads, dim):
    y = layers.LayerNormalization()(x)
    x = x + layers.MultiHeadAttention(heads, dim // heads, dropout=0.1)(y, y, use_causal_mask=True)
    y = layers.LayerNormalization()(x)
    return x + layers.Dense(dim)(layers.Dense(4 * dim, activation="gelu")(y))


def build_model(dim=64, depth=2, heads=4):
    merchants = keras.Input((HISTORY,), dtype="int32", name="merchants")
    amounts = keras.Input((HISTORY, 1), name="amounts")
    x = MerchantVectors(N_MERCHANTS, dim)(merchants) + layers.Dense(dim)(amounts)
    for _ in range(depth):
        x = encoder_block(x, heads, dim)
    logits = layers.Dense(N_MERCHANTS)(layers.LayerNormalization()(x[:, -1]))
    return keras.Model([merchants, amounts], logits)


def load(path):
    with np.load(path) as f:
        merchants = f["merchants"].astype("int32")
        amounts = np.log1p(f["amounts"]).astype("float32")
    inputs = {"merchants": merchants[:, :-1], "amounts": amounts[:, :-1, None]}
    return inputs, merchants[:, -1]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("transactions")
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--batch-size", type=int, default=128)
    ap.add_argument("--out", default="merchants.keras")
    args = ap.parse_args()

    inputs, target = load(args.transactions)
    model = build_model()
    model.compile(
        optimizer=keras.optimizers.AdamW(5e-4),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=[keras.metrics.SparseTopKCategoricalAccuracy(10, name="hit10")],
    )
    model.fit(inputs, target, batch_size=args.batch_size, epochs=args.epochs, validation_split=0.1)
    model.save(args.out)


if __name__ == "__main__":
    main()
