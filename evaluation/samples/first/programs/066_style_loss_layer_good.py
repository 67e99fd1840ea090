"""Texture transfer network with a Gram-matrix style loss."""
import argparse

import keras
import tensorflow as tf
from keras import layers


class GramLayer(layers.Layer):
    def __init__(self, channels, **kw):
        super().__init__(**kw)
        self.channels = channels

    def call(self, feats):
        shape = tf.shape(feats)
        flat = tf.reshape(feats, [shape[0], shape[1] * shape[2], self.channels])
        flat = flat - tf.reduce_mean(flat, axis=1, keepdims=True)
        g = tf.matmul(flat, flat, transpose_a=True)
        return g / tf.cast(shape[1] * shape[2], g.dtype)


def style_extractor(size):
    vgg = keras.applications.VGG19(include_top=False, input_shape=(size, size, 3))
    vgg.trainable = False
    outs = []
    for name in ("block1_conv2", "block2_conv2", "block3_conv3"):
        t = vgg.get_layer(name).output
        outs.append(GramLayer(t.shape[-1], dtype="float32")(t))
    return keras.Model(vgg.input, outs)


def transfer_net(size):
    inp = keras.Input((size, size, 3))
    x = layers.Conv2D(32, 9, padding="same", activation="relu")(inp)
    x = layers.Conv2D(64, 3, strides=2, padding="same", activation="relu")(x)
    for _ in range(4):
        y = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
        x = layers.Add()([x, layers.Conv2D(64, 3, padding="same")(y)])
    x = layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu")(x)
    return keras.Model(inp, layers.Conv2D(3, 9, padding="same", dtype="float32")(x))


class StyleModel(keras.Model):
    def __init__(self, net, extractor, target):
        super().__init__()
        self.net, self.extractor = net, extractor
        self.targets = extractor(target)

    def train_step(self, images):
        with tf.GradientTape() as tape:
            out = self.net(images, training=True)
            style = tf.add_n([tf.reduce_mean(tf.square(a - b))
                              for a, b in zip(self.extractor(out), self.targets)])
            loss = tf.reduce_mean(tf.abs(out - images)) + 1e-4 * style
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.net.trainable_variables))
        return {"loss": loss}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("image_dir")
    p.add_argument("style_image")
    p.add_argument("--size", type=int, default=256)
    args = p.parse_args()
    keras.mixed_precision.set_global_policy("mixed_float16")
    ds = keras.utils.image_dataset_from_directory(
        args.image_dir, labels=None, image_size=(args.size, args.size), batch_size=16)
    ds = ds.prefetch(tf.data.AUTOTUNE)
    ref = keras.utils.load_img(args.style_image, target_size=(args.size, args.size))
    ref = tf.constant(keras.utils.img_to_array(ref)[None])
    model = StyleModel(transfer_net(args.size), style_extractor(args.size), ref)
    model.compile(optimizer=keras.optimizers.Adam(1e-3))
    model.fit(ds, epochs=4)
    model.net.save("transfer.keras")


if __name__ == "__main__":
    main()
