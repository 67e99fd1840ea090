"""Train a product title normaliser (seq2seq GRU) with Keras."""
import argparse
import os
from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf
from keras import layers


@dataclass
class Runtime:
    mixed: bool = True
    memory_growth: bool = True
    seed: int = 5
    debug: bool = False


def setup_runtime(rt):
    keras.utils.set_random_seed(rt.seed)
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, rt.memory_growth)
    if rt.debug:
        tf.debugging.set_log_device_placement(True)
        tf.debugging.enable_check_numerics()
    if rt.mixed:
        keras.mixed_precision.set_global_policy("mixed_bfloat16")
    os.environ.setdefault("TF_GPU_THREAD_MODE", "gpu_private")


def build(vocab, dim, length):
    src = keras.Input((length,), dtype="int32", name="src")
    dec = keras.Input((length,), dtype="int32", name="dec")
    emb = layers.Embedding(vocab, dim)
    enc = layers.Bidirectional(layers.GRU(dim // 2, return_sequences=True))(emb(src))
    state = layers.GlobalAveragePooling1D()(enc)
    out = layers.GRU(dim, return_sequences=True)(emb(dec), initial_state=state)
    ctx = layers.Attention(use_scale=True)([out, enc])
    out = layers.Dense(dim, activation="gelu")(layers.Concatenate()([out, ctx]))
    return keras.Model([src, dec], layers.Dense(vocab, dtype="float32")(out))


def stream(path, batch, training):
    z = np.load(path)
    src, tgt = z["src"].astype(np.int32), z["tgt"].astype(np.int32)
    ds = tf.data.Dataset.from_tensor_slices((src, tgt))
    if training:
        ds = ds.shuffle(100_000)

    def split(s, t):
        weight = tf.cast(t[:, 1:] > 0, tf.float32)
        return {"src": s, "dec": t[:, :-1]}, t[:, 1:], weight

    ds = ds.batch(batch, drop_remainder=True)
    return ds.map(split, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--vocab", type=int, default=16000)
    p.add_argument("--dim", type=int, default=512)
    p.add_argument("--length", type=int, default=40)
    p.add_argument("--epochs", type=int, default=12)
    args = p.parse_args()

    setup_runtime(Runtime())
    model = build(args.vocab, args.dim, args.length)
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3, clipnorm=1.0),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        weighted_metrics=["accuracy"], steps_per_execution=16)
    model.fit(stream(f"{args.data}/train.npz", 256, True), epochs=args.epochs,
              validation_data=stream(f"{args.data}/val.npz", 256, False),
              callbacks=[keras.callbacks.EarlyStopping(patience=2),
                         keras.callbacks.ModelCheckpoint("titles.keras",
                                                         save_best_only=True)])


if __name__ == "__main__":
    main()
