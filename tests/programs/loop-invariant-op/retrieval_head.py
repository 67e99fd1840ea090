# requires: tensorflow==2.15.*
"""Fine-tune a projection head for product retrieval; the backbone stays frozen."""
import argparse

import numpy as np
import tensorflow as tf
from tensorflow import keras


class RetrievalCallback(keras.callbacks.Callback):
    """Recall at k over a held-out gallery after each epoch."""

    def __init__(self, backbone, head, queries, gallery, query_ids, gallery_ids, k=(1, 5)):
        super().__init__()
        self.backbone = backbone
        self.head = head
        self.queries, self.gallery = queries, gallery
        self.query_ids, self.gallery_ids = query_ids, gallery_ids
        self.k = k

    def on_epoch_end(self, epoch, logs=None):
        query_features = self.backbone.predict(self.queries, batch_size=64, verbose=0)  # note: loop-invariant-op
        gallery_features = self.backbone.predict(self.gallery, batch_size=64, verbose=0)  # note: loop-invariant-op
        q = tf.math.l2_normalize(self.head(query_features), axis=1)
        g = tf.math.l2_normalize(self.head(gallery_features), axis=1)
        ranked = tf.argsort(tf.matmul(q, g, transpose_b=True), direction="DESCENDING").numpy()
        hits = self.gallery_ids[ranked] == self.query_ids[:, None]
        for k in self.k:
            value = hits[:, :k].any(axis=1).mean()
            if logs is not None:
                logs["recall@%d" % k] = value
            print(" recall@%d: %.4f" % (k, value))


def build_backbone(size):
    base = keras.applications.EfficientNetB0(
        include_top=False, pooling="avg", input_shape=(size, size, 3)
    )
    base.trainable = False
    return base


def build_head(width, dim):
    return keras.Sequential(
        [
            keras.Input((width,)),
            keras.layers.Dense(512, activation="relu"),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(dim),
        ]
    )


def build_classifier(backbone, head, size, classes):
    inputs = keras.Input((size, size, 3))
    x = backbone(inputs, training=False)
    x = head(x)
    outputs = keras.layers.Dense(classes)(x)
    return keras.Model(inputs, outputs)


def train_data(folder, size, batch):
    data = keras.utils.image_dataset_from_directory(
        folder, image_size=(size, size), batch_size=batch, label_mode="int"
    )
    augment = keras.Sequential(
        [keras.layers.RandomFlip("horizontal"), keras.layers.RandomRotation(0.05)]
    )
    names = data.class_names
    data = data.map(lambda x, y: (augment(x, training=True), y), num_parallel_calls=tf.data.AUTOTUNE)
    return names, data.prefetch(tf.data.AUTOTUNE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("train")
    parser.add_argument("held_out", help="npz with queries, gallery and their ids")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--dim", type=int, default=128)
    parser.add_argument("--epochs", type=int, default=30)
    args = parser.parse_args()

    names, data = train_data(args.train, args.size, 32)
    backbone = build_backbone(args.size)
    head = build_head(backbone.output_shape[-1], args.dim)
    model = build_classifier(backbone, head, args.size, len(names))
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    blob = np.load(args.held_out)
    watch = RetrievalCallback(
        backbone, head, blob["queries"], blob["gallery"], blob["query_ids"], blob["gallery_ids"]
    )
    model.fit(data, epochs=args.epochs, callbacks=[watch])
    head.save("head.keras")


if __name__ == "__main__":
    main()
