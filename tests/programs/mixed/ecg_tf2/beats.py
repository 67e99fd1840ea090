import numpy as np
import tensorflow as tf


class BeatNet(tf.keras.Model):
    """A classifier of single heart beats (187 samples)."""

    def __init__(self, classes=5):
        super().__init__()
        self.blocks = [tf.keras.layers.Conv1D(32 * (i + 1), 5, 2, activation="relu") for i in range(3)]
        self.pool = tf.keras.layers.GlobalAveragePooling1D()
        self.head = tf.keras.layers.Dense(classes)

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(self.pool(x))


def standardize(beats):
    return tf.map_fn(lambda beat: (beat - tf.reduce_mean(beat)) / tf.math.reduce_std(beat), beats)  # finding: row-wise-map


def envelope(beats):
    return np.apply_along_axis(lambda beat: np.abs(beat - beat.mean()) / beat.std(), 1, beats)  # finding: row-wise-map


def random_shift(beats):
    def one(beat):
        return tf.roll(beat, tf.random.uniform([], -10, 10, tf.int32), axis=0)

    return tf.map_fn(one, beats)


def medians(beats, width=9):
    return np.apply_along_axis(lambda beat: np.convolve(beat, np.ones(width) / width, "same"), 1, beats)


def as_dataset(x, y, batch):
    held = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(len(x))
    return held.batch(batch).map(lambda a, b: (random_shift(a)[..., None], b), tf.data.AUTOTUNE).prefetch(1)


class Trainer:
    def __init__(self, net):
        self.net = net
        self.optimizer = tf.keras.optimizers.Adam(1e-3)
        self.loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.net(x, training=True))
        grads = tape.gradient(loss, self.net.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.net.trainable_variables))
        return loss

    def fit(self, dataset, epochs):
        for epoch in range(epochs):
            for x, y in dataset:  # finding: eager-loop
                loss = self.step(x, y)
            print(epoch, float(loss))


class CompiledTrainer(Trainer):
    @tf.function
    def step(self, x, y):
        return super().step(x, y)


def main():
    x = np.load("beats.npy").astype("float32")
    y = np.load("kinds.npy")
    x = envelope(standardize(x).numpy())
    dataset = as_dataset(x + medians(x), y, 256)
    Trainer(BeatNet()).fit(dataset, 5)
    CompiledTrainer(BeatNet()).fit(dataset, 50)


if __name__ == "__main__":
    main()
