import argparse

import tensorflow as tf
from roads import Config, SegmentationLoader


def conv_block(x, filters):
    for _ in range(2):
        x = tf.keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = tf.keras.layers.BatchNormalization()(x)
        x = tf.keras.layers.ReLU()(x)
    return x


def unet(size):
    inputs = tf.keras.Input((size, size, 3))
    x, skips = inputs, []
    for filters in (16, 32, 64):
        x = conv_block(x, filters)
        skips.append(x)
        x = tf.keras.layers.MaxPooling2D()(x)
    x = conv_block(x, 128)
    for filters, skip in zip((64, 32, 16), reversed(skips)):
        x = tf.keras.layers.UpSampling2D()(x)
        x = conv_block(tf.keras.layers.Concatenate()([x, skip]), filters)
    return tf.keras.Model(inputs, tf.keras.layers.Conv2D(1, 1, activation="sigmoid")(x))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", default="configs/base.json")
    parser.add_argument("--finetune", action="store_true")
    args = parser.parse_args()
    config = Config.load(args.config)
    loader = SegmentationLoader(config.data)
    model = unet(config.data.image_size)
    model.compile(tf.keras.optimizers.Adam(config.lr), "binary_crossentropy", metrics=["accuracy"])
    data = loader.finetune() if args.finetune else loader.train()
    model.fit(data, validation_data=loader.validation(), epochs=config.epochs)
    model.save("roads.h5")


if __name__ == "__main__":
    main()
