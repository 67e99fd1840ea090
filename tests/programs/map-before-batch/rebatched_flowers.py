# requires: tensorflow==2.15.0
"""Transfer learning on a folder of pictures, with class balancing between epochs."""
import argparse
import logging
import pathlib

import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

log = logging.getLogger("flowers")


class Preprocessing:
    """Steps that are put in front of the network, in the order of their calls."""

    def __init__(self, num_classes, image_size):
        self.num_classes = num_classes
        self.image_size = image_size

    def scale(self, image, label):
        return tf.cast(image, tf.float32) / 127.5 - 1.0, label

    def encode(self, image, label):
        return image, tf.one_hot(tf.cast(label, tf.int32), self.num_classes)

    def smooth(self, image, target, epsilon=0.1):
        return image, target * (1 - epsilon) + epsilon / self.num_classes


class FlowerData:
    def __init__(self, root, image_size=192, batch_size=32, seed=3):
        self.root = pathlib.Path(root)
        self.size = (image_size, image_size)
        self.batch_size = batch_size
        self.seed = seed
        self.class_names = sorted(path.name for path in self.root.iterdir() if path.is_dir())
        self.steps = Preprocessing(len(self.class_names), image_size)

    def _folder(self, subset):
        return keras.utils.image_dataset_from_directory(
            self.root,
            validation_split=0.2,
            subset=subset,
            seed=self.seed,
            image_size=self.size,
            batch_size=self.batch_size,
        )

    def _balanced(self, dataset):
        """An even mix of all classes."""
        singles = dataset.unbatch().cache()
        by_class = [
            singles.filter(lambda image, label, wanted=index: label == wanted).repeat()
            for index in range(len(self.class_names))
        ]
        return tf.data.Dataset.sample_from_datasets(by_class, seed=self.seed)

    def train(self):
        dataset = self._balanced(self._folder("training"))
        dataset = dataset.shuffle(512)
        dataset = dataset.map(self.steps.scale)  # finding: map-before-batch
        dataset = dataset.map(self.steps.encode)  # finding: map-before-batch
        dataset = dataset.map(self.steps.smooth)  # finding: map-before-batch
        return dataset.batch(self.batch_size).prefetch(tf.data.AUTOTUNE)

    def validation(self):
        dataset = self._folder("validation")
        dataset = dataset.map(self.steps.scale).map(self.steps.encode)
        return dataset.prefetch(tf.data.AUTOTUNE)


def build(num_classes, image_size):
    base = keras.applications.MobileNetV2((image_size, image_size, 3), include_top=False, pooling="avg")
    base.trainable = False
    model = keras.Sequential(
        [
            keras.Input((image_size, image_size, 3)),
            layers.RandomFlip("horizontal"),
            layers.RandomRotation(0.1),
            base,
            layers.Dropout(0.3),
            layers.Dense(num_classes, activation="softmax"),
        ]
    )
    model.compile("adam", "categorical_crossentropy", metrics=["accuracy"])
    return model


class WarmUp(keras.callbacks.Callback):
    """Unfreezes the backbone after some epochs."""

    def __init__(self, after):
        super().__init__()
        self.after = after

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == self.after:
            log.info("unfreezing the backbone")
            for layer in self.model.layers:
                layer.trainable = True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root")
    parser.add_argument("--epochs", type=int, default=15)
    parser.add_argument("--size", type=int, default=192)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO)
    data = FlowerData(args.root, image_size=args.size)
    model = build(len(data.class_names), args.size)
    model.fit(
        data.train(),
        steps_per_epoch=200,
        validation_data=data.validation(),
        epochs=args.epochs,
        callbacks=[WarmUp(3), keras.callbacks.EarlyStopping(patience=4)],
    )
    model.save("flowers.keras")


if __name__ == "__main__":
    main()
