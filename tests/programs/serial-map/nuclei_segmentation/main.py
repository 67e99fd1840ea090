import argparse

import tensorflow as tf

from loader import SegmentationLoader
from unet import dice_loss, unet


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=80)
    return parser.parse_args()


def main():
    args = parse_args()
    size = (args.size, args.size)
    loader = SegmentationLoader(args.root, size, args.batch_size)
    model = unet(size)
    model.compile(
        tf.keras.optimizers.Adam(1e-3),
        loss=dice_loss,
        metrics=[tf.keras.metrics.MeanIoU(num_classes=2)],
    )
    callbacks = [
        tf.keras.callbacks.ModelCheckpoint("unet.h5", save_best_only=True),
        tf.keras.callbacks.ReduceLROnPlateau(patience=5),
        tf.keras.callbacks.TensorBoard("logs"),
    ]
    model.fit(
        loader.load("train"),
        validation_data=loader.load("valid"),
        epochs=args.epochs,
        callbacks=callbacks,
    )


if __name__ == "__main__":
    main()
