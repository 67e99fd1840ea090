# requires: tensorflow==2.6.*
"""5-fold training for the Kaggle competition; each fold has its own model, hence its own function."""
import gc

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import StratifiedKFold

CFG = dict(folds=5, epochs=12, batch=256, lr=2e-3, seed=42)


def build(n_features):
    inp = tf.keras.Input((n_features,))
    x = tf.keras.layers.BatchNormalization()(inp)
    for width in (256, 128, 64):
        x = tf.keras.layers.Dense(width, activation="swish")(x)
        x = tf.keras.layers.Dropout(0.2)(x)
    return tf.keras.Model(inp, tf.keras.layers.Dense(1)(x))


def make_step(model, opt, loss_fn):
    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = loss_fn(y, model(x, training=True))
        grads = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    return step


def dataset(x, y=None, train=False):
    d = tf.data.Dataset.from_tensor_slices(x if y is None else (x, y))
    if train:
        d = d.shuffle(50_000)
    return d.batch(CFG["batch"]).prefetch(tf.data.AUTOTUNE)


def train_fold(x, y, tr, va):
    tf.keras.backend.clear_session()
    model = build(x.shape[1])
    opt = tf.keras.optimizers.Adam(CFG["lr"])
    step = make_step(model, opt, tf.keras.losses.BinaryCrossentropy(from_logits=True))
    data = dataset(x[tr], y[tr, None], train=True)
    for epoch in range(CFG["epochs"]):
        losses = [step(bx, by) for bx, by in data]
        print("  epoch", epoch, float(tf.reduce_mean(losses)))
    pred = model.predict(dataset(x[va]))[:, 0]
    return model, pred


def main():
    train = pd.read_csv("../input/tabular/train.csv")
    test = pd.read_csv("../input/tabular/test.csv")
    cols = [c for c in train.columns if c.startswith("f")]
    x, y = train[cols].values.astype(np.float32), train.target.values.astype(np.float32)
    xt = test[cols].values.astype(np.float32)
    oof, sub = np.zeros(len(x)), np.zeros(len(xt))
    split = StratifiedKFold(CFG["folds"], shuffle=True, random_state=CFG["seed"])
    for fold, (tr, va) in enumerate(split.split(x, y)):
        print("fold", fold)
        model, pred = train_fold(x, y, tr, va)
        oof[va] = pred
        sub += model.predict(dataset(xt))[:, 0] / CFG["folds"]
        del model
        gc.collect()
    print("oof", np.mean((oof > 0) == y))
    test.assign(target=sub)[["id", "target"]].to_csv("submission.csv", index=False)


if __name__ == "__main__":
    main()
