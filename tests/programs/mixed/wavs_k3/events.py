"""Sound events: clips are read into memory, a small network names them."""
import pathlib

import keras
import librosa
import numpy as np
import tensorflow as tf
from keras import layers

RATE = 16000


def clip_features(path):
    wave, _ = librosa.load(path, sr=RATE, duration=4.0)
    wave = librosa.util.fix_length(wave, size=4 * RATE)
    return librosa.feature.melspectrogram(y=wave, sr=RATE, n_mels=64)


def read_clips(folder):
    clips, names = [], []
    for path in pathlib.Path(folder).rglob("*.wav"):
        clips.append(clip_features(path))  # finding: read-per-item
        names.append(path.parent.name)
    return np.stack(clips)[..., None], np.array(names)


def augment(batch, rng):
    """Adds noise of one level to each clip."""
    levels = np.zeros(len(batch))
    for i in range(len(batch)):
        levels[i] = rng.uniform(0.0, 0.1)  # finding: looped-draw
    return batch + levels[:, None, None, None] * rng.standard_normal(batch.shape)


def normalize(clips):
    for i in range(clips.shape[0]):
        clips[i] = (clips[i] - clips[i].mean()) / clips[i].std()  # finding: per-slice-op
    return clips


def network(classes):
    return keras.Sequential([
        layers.Input((64, 126, 1)),
        layers.Conv2D(16, 3, activation="relu"),
        layers.MaxPooling2D(4),
        layers.Conv2D(32, 3, activation="relu"),
        layers.Flatten(),
        layers.Dense(classes, activation="softmax"),
    ])


def main():
    clips, names = read_clips("sounds")
    clips = normalize(clips)
    classes, labels = np.unique(names, return_inverse=True)
    model = network(len(classes))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    rng = np.random.default_rng(0)
    x = tf.convert_to_tensor(augment(clips, rng))
    model.fit(x, tf.constant(labels), epochs=40, batch_size=32)  # finding: tensor-fed-fit
    wrong = 0
    for clip, label in zip(clips, labels):
        scores = model.predict(clip[np.newaxis, ...], verbose=0)  # finding: predict-per-item
        wrong += int(np.argmax(scores) != label)
    print("wrong:", wrong)


if __name__ == "__main__":
    main()
