# requires: tensorflow==2.8.*
"""Five-fold training with a custom loop: each fold has its own model, so its own step."""
import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

CFG = dict(folds=5, epochs=25, batch=512, lr=1e-3, width=256, seed=42)


def build_model(n_features):
    inp = tf.keras.Input((n_features,))
    x = tf.keras.layers.BatchNormalization()(inp)
    for _ in range(3):
        x = tf.keras.layers.Dense(CFG["width"], activation="swish")(x)
        x = tf.keras.layers.Dropout(0.25)(x)
    return tf.keras.Model(inp, tf.keras.layers.Dense(1)(x))


def make_steps(model, optimizer):
    bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)

    @tf.function
    def train_step(x, y):
        with tf.GradientTape() as tape:
            loss = bce(y, model(x, training=True))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        return loss

    @tf.function
    def predict_step(x):
        return tf.sigmoid(model(x, training=False))

    return train_step, predict_step


def make_dataset(x, y, training):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if training == "yes":
        ds = ds.shuffle(len(x), seed=CFG["seed"]).batch(CFG["batch"], drop_remainder=True)
    else:
        ds = ds.batch(CFG["batch"])
    return ds.prefetch(tf.data.AUTOTUNE)


def run_fold(fold, x, y, train_idx, valid_idx):
    model = build_model(x.shape[1])
    optimizer = tf.keras.optimizers.Adam(CFG["lr"])
    train_step, predict_step = make_steps(model, optimizer)
    train = make_dataset(x[train_idx], y[train_idx], "yes")
    valid = make_dataset(x[valid_idx], y[valid_idx], "no")
    best, best_pred = 0.0, None
    for epoch in range(CFG["epochs"]):
        total = tf.constant(0.0)
        for xb, yb in train:
            total += train_step(xb, yb)
        pred = np.concatenate([predict_step(xb).numpy() for xb, _ in valid])[:, 0]
        auc = roc_auc_score(y[valid_idx], pred)
        if auc > best:
            best, best_pred = auc, pred
            model.save_weights(f"fold{fold}.h5")
        print(f"fold {fold} epoch {epoch} loss {float(total):.3f} auc {auc:.5f}")
    return best_pred


def main():
    tf.random.set_seed(CFG["seed"])
    frame = pd.read_csv("../input/tabular/train.csv")
    y = frame.pop("target").values.astype("float32")[:, None]
    x = frame.drop(columns=["id"]).values.astype("float32")
    oof = np.zeros(len(x))
    folds = StratifiedKFold(CFG["folds"], shuffle=True, random_state=CFG["seed"])
    for fold, (tr, va) in enumerate(folds.split(x, y[:, 0])):
        oof[va] = run_fold(fold, x, y, tr, va)
        tf.keras.backend.clear_session()
    print("oof auc", roc_auc_score(y[:, 0], oof))


if __name__ == "__main__":
    main()
