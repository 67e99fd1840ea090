"""What a network of cello recordings hears: activations, saliency and styles."""
import glob

import keras.backend as K
import librosa
import numpy as np
from keras.callbacks import Callback
from keras.models import load_model


def activations(model, layer_name, clips):
    layer = model.get_layer(layer_name)
    found = []
    for clip in clips:
        get = K.function([model.input, K.learning_phase()], [layer.output])  # finding: graph-growth
        found.append(get([clip[None], 0])[0])
    return np.concatenate(found)


class Rates(Callback):
    """Lowers the rate with the batches, and writes down what it was."""

    def __init__(self, start, decay):
        super(Rates, self).__init__()
        self.start = start
        self.decay = decay
        self.rates = []

    def on_batch_begin(self, batch, logs=None):
        rate = self.start / (1.0 + self.decay * len(self.rates))
        K.set_value(self.model.optimizer.lr, rate)
        self.rates.append(rate)

    def on_batch_end(self, batch, logs=None):
        norm = K.eval(K.sqrt(sum(K.sum(K.square(w)) for w in self.model.trainable_weights)))  # finding: graph-growth
        print(batch, norm)


class Saliency(object):
    def __init__(self, model):
        self.model = model
        self._functions = {}

    def of(self, clip, unit):
        if unit not in self._functions:
            grads = K.gradients(self.model.output[:, unit], self.model.input)
            self._functions[unit] = K.function([self.model.input], grads)
        return self._functions[unit]([clip[None]])[0][0]


def clip_of(path, bins=128):
    wave, rate = librosa.load(path, 22050)  # finding: read-per-item
    return librosa.power_to_db(librosa.feature.melspectrogram(wave, rate, n_mels=bins)).T


def main():
    model = load_model("cello.h5")
    clips = [clip_of(path) for path in sorted(glob.glob("clips/*.wav"))]
    np.save("activations.npy", activations(model, "conv_3", clips))
    saliency = Saliency(model)
    for index, clip in enumerate(clips):
        np.save("saliency-%d.npy" % index, saliency.of(clip, 0))
    targets = np.load("targets.npy")
    model.fit(np.stack(clips), targets, epochs=10, callbacks=[Rates(0.01, 1e-3)])


if __name__ == "__main__":
    main()
