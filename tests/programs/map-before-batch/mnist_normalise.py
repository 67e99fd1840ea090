# requires: tensorflow==2.8.*
"""First TensorFlow project: MNIST from TFDS with a custom normalisation."""
import tensorflow as tf
import tensorflow_datasets as tfds

MEAN, STD = 0.1307, 0.3081


def normalise(image, label):
    image = tf.cast(image, tf.float32) / 255.0
    return (image - MEAN) / STD, label


def smooth(image, label):
    return image, tf.one_hot(label, 10) * 0.9 + 0.01


class Pipeline:
    def __init__(self, batch=128):
        self.batch = batch
        (self.train_raw, self.test_raw), self.info = tfds.load(
            "mnist", split=["train", "test"], as_supervised=True, with_info=True
        )

    def train(self):
        return (
            self.train_raw.shuffle(10_000)
            .map(normalise, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
            .map(smooth, num_parallel_calls=tf.data.AUTOTUNE)  # finding: map-before-batch
            .batch(self.batch)
            .prefetch(tf.data.AUTOTUNE)
        )

    def test(self):
        return self.test_raw.batch(self.batch).map(normalise).map(smooth).cache()


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = tf.keras.layers.Conv2D(32, 3, activation="relu")
        self.conv2 = tf.keras.layers.Conv2D(64, 3, activation="relu")
        self.pool = tf.keras.layers.MaxPooling2D()
        self.drop = tf.keras.layers.Dropout(0.25)
        self.flat = tf.keras.layers.Flatten()
        self.fc = tf.keras.layers.Dense(128, activation="relu")
        self.out = tf.keras.layers.Dense(10)

    def call(self, x, training=False):
        x = self.pool(self.conv2(self.conv1(x)))
        x = self.fc(self.flat(self.drop(x, training=training)))
        return self.out(x)


def main():
    data = Pipeline()
    model = Net()
    model.compile(
        optimizer=tf.keras.optimizers.Adam(),
        loss=tf.keras.losses.CategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(data.train(), validation_data=data.test(), epochs=12)
    print(model.evaluate(data.test(), return_dict=True))


if __name__ == "__main__":
    main()
