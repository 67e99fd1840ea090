"""A convolutional denoiser and how it is trained and judged."""

from tensorflow import keras


class Denoiser:
    def __init__(self):
        keras.utils.set_random_seed(1)
        spectrogram = keras.Input((128, 128, 1))
        hidden = keras.layers.Conv2D(24, 3, padding="same", activation="relu")(spectrogram)
        hidden = keras.layers.Conv2D(24, 3, padding="same", activation="relu")(hidden)
        self.network = keras.Model(
            spectrogram, keras.layers.Conv2D(1, 3, padding="same")(hidden)
        )
        self.network.compile(optimizer="adam", loss="mse")

    def learn(self, noisy, clean):
        # More than two recordings of this size do not fit on the card.
        self.network.fit(noisy, clean, epochs=1, batch_size=2, verbose=0)

    def error(self, noisy, clean):
        return self.network.evaluate(noisy, clean, verbose=0)  # finding
