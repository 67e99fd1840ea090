import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

from . import losses
from .vgg import build_extractor, prepare


def residual(x, filters):
    y = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    y = layers.Conv2D(filters, 3, padding="same")(y)
    return layers.Add()([x, y])


def build_generator(size=256):
    inputs = keras.Input((size, size, 3))
    x = layers.Conv2D(32, 9, padding="same", activation="relu")(inputs)
    x = layers.Conv2D(64, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2D(128, 3, strides=2, padding="same", activation="relu")(x)
    for _ in range(5):
        x = residual(x, 128)
    x = layers.Conv2DTranspose(64, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2DTranspose(32, 3, strides=2, padding="same", activation="relu")(x)
    return keras.Model(inputs, layers.Conv2D(3, 9, padding="same", activation="sigmoid")(x))


class StyleTransfer(keras.Model):
    def __init__(self, style_image, style_weight=1e-4, content_weight=1.0, **kwargs):
        super().__init__(**kwargs)
        self.generator = build_generator()
        self.extractor = build_extractor()
        self.style_image = tf.constant(style_image[None])
        self.style_weight = style_weight
        self.content_weight = content_weight
        self.tracker = keras.metrics.Mean(name="loss")

    @property
    def metrics(self):
        return [self.tracker]

    def call(self, images):
        return self.generator(images)

    def train_step(self, images):
        targets = losses.style_targets(self.extractor, self.style_image)  # note: loop-invariant-op
        *_, content = self.extractor(prepare(images))
        with tf.GradientTape() as tape:
            styled = self.generator(images, training=True)
            *ours, our_content = self.extractor(prepare(styled))
            loss = self.style_weight * losses.style_loss(ours, targets)
            loss += self.content_weight * losses.content_loss(our_content, content)
        variables = self.generator.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.tracker.update_state(loss)
        return {"loss": self.tracker.result()}
