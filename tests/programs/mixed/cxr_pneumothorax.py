# %% [code]
# Chest X-ray pneumothorax classifier -- export of my Kaggle notebook (v14)
import glob
import os
import random

import numpy as np
import pandas as pd
import tensorflow as tf
from sklearn.model_selection import StratifiedKFold

DATA = os.environ.get("CXR_DIR", "../input/siim-cxr-png-512")
IMG = 512
CROP = 448
BS = 32
EPOCHS = 25
SEED = 2021


def seed_all(seed):
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)


# %% [code]
def load_png(path, label):
    raw = tf.io.read_file(path)
    img = tf.io.decode_png(raw, channels=1)
    img = tf.image.resize(img, (IMG, IMG), antialias=True)
    img = tf.image.grayscale_to_rgb(img) / 255.0
    return img, label


def augment(img, label):
    img = tf.image.random_crop(img, (CROP, CROP, 3))
    img = tf.image.random_flip_left_right(img)
    img = tf.image.random_brightness(img, 0.12)
    img = tf.image.random_contrast(img, 0.85, 1.15)
    return tf.clip_by_value(img, 0.0, 1.0), label


def center(img, label):
    return tf.image.central_crop(img, CROP / IMG), label


def tta(img, label, k):
    """k-th deterministic view for test time augmentation."""
    s = tf.stack([SEED, k])
    img = tf.image.stateless_random_crop(img, (CROP, CROP, 3), seed=s)
    img = tf.image.stateless_random_flip_left_right(img, seed=s)
    return img, label


def train_ds(df):
    ds = tf.data.Dataset.from_tensor_slices((df.path.values, df.label.values.astype("float32")))
    ds = ds.shuffle(len(df), seed=SEED)
    ds = ds.map(load_png)
    ds = ds.map(augment)  # finding: serial-map
    return ds.batch(BS, drop_remainder=True).prefetch(tf.data.AUTOTUNE)


def valid_ds(df):
    ds = tf.data.Dataset.from_tensor_slices((df.path.values, df.label.values.astype("float32")))
    return ds.map(lambda p, y: center(*load_png(p, y))).batch(BS).prefetch(2)


def tta_ds(df, k):
    ds = tf.data.Dataset.from_tensor_slices((df.path.values, df.label.values.astype("float32")))
    return ds.map(load_png).map(lambda i, l: tta(i, l, k)).batch(BS)


# %% [code]
def build():
    base = tf.keras.applications.DenseNet121(include_top=False, weights="imagenet", input_shape=(CROP, CROP, 3), pooling="avg")
    x = tf.keras.layers.Dropout(0.3)(base.output)
    out = tf.keras.layers.Dense(1, activation="sigmoid")(x)
    m = tf.keras.Model(base.input, out)
    m.compile(tf.keras.optimizers.AdamW(2e-4, weight_decay=1e-5), "binary_crossentropy", [tf.keras.metrics.AUC(name="auc")])
    return m


# peek at the augmentation before burning GPU hours
peek = tf.data.Dataset.range(4).map(lambda i: augment(tf.random.uniform((IMG, IMG, 3)), i))
for im, i in peek:
    print(int(i), im.shape, float(tf.reduce_mean(im)))

seed_all(SEED)
meta = pd.read_csv(f"{DATA}/train.csv")
meta["path"] = [f"{DATA}/png/{u}.png" for u in meta.uid]
meta = meta[meta.path.isin(set(glob.glob(f"{DATA}/png/*.png")))].reset_index(drop=True)

oof = np.zeros(len(meta))
skf = StratifiedKFold(5, shuffle=True, random_state=SEED)
for fold, (tr, va) in enumerate(skf.split(meta, meta.label)):
    model = build()
    model.fit(train_ds(meta.iloc[tr]), validation_data=valid_ds(meta.iloc[va]), epochs=EPOCHS, verbose=2,
              callbacks=[tf.keras.callbacks.ModelCheckpoint(f"f{fold}.keras", monitor="val_auc", mode="max", save_best_only=True)])
    model.load_weights(f"f{fold}.keras")
    oof[va] = np.mean([model.predict(tta_ds(meta.iloc[va], k), verbose=0)[:, 0] for k in range(4)], axis=0)
meta.assign(oof=oof).to_csv("oof.csv", index=False)
