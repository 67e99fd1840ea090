"""Classify waste fractions from conveyor photos with transfer learning."""
import argparse
import os

import tensorflow as tf
from tensorflow.keras import layers
from tensorflow.keras.applications import ResNet50V2
from tensorflow.keras.callbacks import EarlyStopping, ModelCheckpoint
from tensorflow.keras.utils import image_dataset_from_directory

SIZE = (224, 224)


def flows(root, batch_size):
    common = dict(image_size=SIZE, batch_size=batch_size, label_mode="categorical")
    train = image_dataset_from_directory(os.path.join(root, "train"), **common)
    valid = image_dataset_from_directory(os.path.join(root, "valid"), shuffle=False, **common)
    classes = len(train.class_names)
    return train.prefetch(tf.data.AUTOTUNE), valid.prefetch(tf.data.AUTOTUNE), classes


def network(classes):
    base = ResNet50V2(include_top=False, pooling="avg", input_shape=(*SIZE, 3))
    base.trainable = False
    inp = layers.Input((*SIZE, 3))
    x = layers.RandomRotation(20 / 360)(inp)
    x = layers.RandomZoom(0.2)(x)
    x = layers.RandomFlip("horizontal")(x)
    x = layers.RandomBrightness(0.3)(x)
    x = layers.Rescaling(1 / 127.5, offset=-1)(x)
    x = base(x, training=False)
    x = layers.Dropout(0.3)(x)
    return tf.keras.Model(inp, layers.Dense(classes, activation="softmax")(x)), base


def phase(model, train, valid, lr, epochs, path):
    model.compile(tf.keras.optimizers.Adam(lr), "categorical_crossentropy", metrics=["accuracy"])
    stop = EarlyStopping(patience=4, restore_best_weights=True)
    keep = ModelCheckpoint(path, save_best_only=True)
    return model.fit(train, validation_data=valid, epochs=epochs, callbacks=[stop, keep], verbose=2)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--batch-size", type=int, default=64)
    ap.add_argument("--out", default="waste.keras")
    args = ap.parse_args()
    train, valid, classes = flows(args.root, args.batch_size)
    model, base = network(classes)
    phase(model, train, valid, 1e-3, 10, args.out)
    base.trainable = True
    phase(model, train, valid, 1e-5, 20, args.out)
    _, acc = model.evaluate(valid, verbose=0)
    print(f"validation accuracy {acc:.4f}")


if __name__ == "__main__":
    main()
