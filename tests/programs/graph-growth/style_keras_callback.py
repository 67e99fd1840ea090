# requires: tensorflow==1.13.*
"""Super resolution with a perceptual loss; prints what happens during training."""
import glob
import os

import numpy as np
from keras import backend as K
from keras import losses, optimizers
from keras.applications.vgg16 import VGG16
from keras.callbacks import Callback, LambdaCallback, ModelCheckpoint
from keras.layers import Activation, Add, BatchNormalization, Conv2D, Input, UpSampling2D
from keras.models import Model
from PIL import Image


def psnr(y_true, y_pred):
    mse = K.mean(K.square(y_true - y_pred), axis=(-3, -2, -1))
    return 20 * K.log(255.0 / K.sqrt(mse)) / K.log(10.0)


class PSNRHistory(Callback):
    """PSNR and the effective learning rate, batch by batch."""

    def __init__(self, images, targets):
        super(PSNRHistory, self).__init__()
        self.images = images
        self.targets = targets
        self.values = []
        self.rates = []

    def on_batch_end(self, batch, logs=None):
        optimizer = self.model.optimizer
        rate = optimizer.lr * (1.0 / (1.0 + optimizer.decay * K.cast(optimizer.iterations, "float32")))  # finding: graph-growth
        self.rates.append(K.eval(rate))

    def on_epoch_end(self, epoch, logs=None):
        predicted = self.model.predict(self.images, batch_size=8)
        value = K.eval(K.mean(psnr(K.constant(self.targets), K.constant(predicted))))  # finding: graph-growth
        self.values.append(value)
        print("epoch %d: psnr %.2f" % (epoch, value))


def residual(x, filters=64):
    y = Conv2D(filters, 3, padding="same")(x)
    y = BatchNormalization()(y)
    y = Activation("relu")(y)
    y = Conv2D(filters, 3, padding="same")(y)
    return Add()([x, BatchNormalization()(y)])


def generator(shape=(64, 64, 3), blocks=8):
    low = Input(shape)
    x = first = Conv2D(64, 9, padding="same", activation="relu")(low)
    for _ in range(blocks):
        x = residual(x)
    x = Add()([x, first])
    for _ in range(2):
        x = UpSampling2D()(x)
        x = Conv2D(64, 3, padding="same", activation="relu")(x)
    return Model(low, Conv2D(3, 9, padding="same", activation="tanh")(x))


def perceptual(shape=(256, 256, 3)):
    vgg = VGG16(include_top=False, input_shape=shape)
    features = Model(vgg.input, vgg.get_layer("block3_conv3").output)
    features.trainable = False

    def loss(y_true, y_pred):
        return losses.mean_squared_error(features(y_true), features(y_pred))

    return loss


def load(folder):
    high, low = [], []
    for path in sorted(glob.glob(os.path.join(folder, "*.png"))):
        image = Image.open(path).convert("RGB").resize((256, 256))
        high.append(np.asarray(image, np.float32) / 127.5 - 1)
        low.append(np.asarray(image.resize((64, 64), Image.BICUBIC), np.float32) / 127.5 - 1)
    return np.stack(low), np.stack(high)


if __name__ == "__main__":
    low, high = load("DIV2K/train")
    valid_low, valid_high = load("DIV2K/valid")
    model = generator()
    model.compile(optimizers.Adam(1e-4, decay=1e-5), perceptual())
    model.fit(
        low, high, batch_size=8, epochs=200,
        callbacks=[
            PSNRHistory(valid_low, valid_high),
            ModelCheckpoint("sr.h5", monitor="loss", save_best_only=True),
            LambdaCallback(on_train_end=lambda logs: print("done")),
        ],
    )
