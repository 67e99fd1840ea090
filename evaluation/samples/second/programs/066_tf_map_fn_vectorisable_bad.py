"""Second-order pooling head on top of a texture backbone."""
import argparse

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable("acme")
class CovariancePool(keras.layers.Layer):
    def __init__(self, eps=1e-5, **kw):
        super().__init__(**kw)
        self.eps = eps

    def _cov(self, f):
        f = f - tf.reduce_mean(f, axis=0, keepdims=True)
        c = tf.matmul(f, f, transpose_a=True) / tf.cast(tf.shape(f)[0], f.dtype)
        c = tf.sign(c) * tf.sqrt(tf.abs(c) + self.eps)
        v = tf.reshape(c, [-1])
        return v / (tf.norm(v) + self.eps)

    def call(self, x):
        ch = x.shape[-1]
        flat = tf.reshape(x, [tf.shape(x)[0], -1, ch])
        out = tf.map_fn(self._cov, flat)
        out.set_shape([None, ch * ch])
        return out

    def compute_output_shape(self, shape):
        return (shape[0], shape[-1] ** 2)

    def get_config(self):
        return {**super().get_config(), "eps": self.eps}


def build(n, size, reduce_to):
    base = keras.applications.MobileNetV3Large(include_top=False, input_shape=(size, size, 3))
    x = keras.layers.Conv2D(reduce_to, 1, use_bias=False)(base.output)
    x = keras.layers.BatchNormalization()(x)
    x = CovariancePool()(x)
    x = keras.layers.Dropout(0.4)(x)
    return keras.Model(base.input, keras.layers.Dense(n)(x))


def folder(root, size, batch, training):
    ds = keras.utils.image_dataset_from_directory(root, image_size=(size, size), batch_size=batch, shuffle=training)
    return ds, len(ds.class_names)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("train")
    ap.add_argument("val")
    ap.add_argument("--size", type=int, default=320)
    ap.add_argument("--batch", type=int, default=64)
    ap.add_argument("--epochs", type=int, default=30)
    args = ap.parse_args()
    train, n = folder(args.train, args.size, args.batch, True)
    val, _ = folder(args.val, args.size, args.batch, False)
    net = build(n, args.size, reduce_to=64)
    net.compile(
        optimizer=keras.optimizers.AdamW(3e-4),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    stop = keras.callbacks.EarlyStopping("val_accuracy", patience=5, restore_best_weights=True)
    net.fit(
        train.prefetch(tf.data.AUTOTUNE), validation_data=val.prefetch(tf.data.AUTOTUNE),
        epochs=args.epochs, callbacks=[stop],
    )
    net.save("texture.keras")


if __name__ == "__main__":
    main()
