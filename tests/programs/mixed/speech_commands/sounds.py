import os

import librosa
import numpy as np


def spectrum(path, rate=16000):
    wave, _ = librosa.load(path, sr=rate, duration=1.0)
    wave = librosa.util.fix_length(wave, size=rate)
    return librosa.power_to_db(librosa.feature.melspectrogram(y=wave, sr=rate, n_mels=64))


def gather(root, words):
    x, y = [], []
    for index, word in enumerate(words):
        for name in os.listdir(os.path.join(root, word)):
            x.append(spectrum(os.path.join(root, word, name)))  # finding: read-per-item
            y.append(index)
    return np.stack(x)[..., None], np.array(y)


def vocabulary(path):
    with open(path) as lines:
        return [line.strip() for line in lines]


def background(folder):
    clips = []
    for name in sorted(os.listdir(folder)):
        clips.append(librosa.load(os.path.join(folder, name), sr=16000)[0])
    return clips


def batches(x, y, size):
    while True:
        order = np.random.permutation(len(x))
        for start in range(0, len(x), size):
            rows = order[start : start + size]
            yield x[rows], y[rows]
