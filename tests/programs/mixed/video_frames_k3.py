# requires: keras==3.7
"""Actions in clips of video: frames, optical flow, a network of frames, answers per clip."""

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"

import cv2
import keras
import numpy as np
from keras import layers, ops

ACTIONS = sorted(os.listdir("clips/train"))
FRAMES, SIDE = 16, 112


def read_clip(path):
    stream = cv2.VideoCapture(path)
    total = int(stream.get(cv2.CAP_PROP_FRAME_COUNT))
    wanted = set(np.linspace(0, total - 1, FRAMES).astype(int).tolist())
    frames = []
    for number in range(total):
        fine, frame = stream.read()
        if not fine:
            break
        if number in wanted:
            frames.append(cv2.resize(frame, (SIDE, SIDE)))
    stream.release()
    while len(frames) < FRAMES:
        frames.append(frames[-1])
    return np.stack(frames)


def read_split(split):
    clips, labels = [], []
    for label, action in enumerate(ACTIONS):
        folder = os.path.join("clips", split, action)
        for name in os.listdir(folder):
            clips.append(read_clip(os.path.join(folder, name)))  # finding: whole-dataset-array
            labels.append(label)
    return np.array(clips, "float32") / 255, np.array(labels)


class FrameNorm(layers.Layer):
    """Every frame with mean nought and deviation one."""

    def call(self, clips):
        frames = []
        for t in range(FRAMES):
            frame = clips[:, t]
            mean = ops.mean(frame, axis=(1, 2, 3), keepdims=True)  # finding: per-slice-op
            deviation = ops.std(frame, axis=(1, 2, 3), keepdims=True)
            frames.append((frame - mean) / (deviation + 1e-6))
        return ops.stack(frames, axis=1)


def network():
    clips = keras.Input((FRAMES, SIDE, SIDE, 3))
    x = FrameNorm()(clips)
    x = layers.TimeDistributed(layers.Conv2D(32, 5, strides=2, activation="relu"))(x)
    x = layers.TimeDistributed(layers.MaxPooling2D(2))(x)
    x = layers.TimeDistributed(layers.Conv2D(64, 3, activation="relu"))(x)
    x = layers.TimeDistributed(layers.Flatten())(x)
    x = layers.TimeDistributed(layers.Dense(512, activation="relu"))(x)  # finding: oversized-dense
    x = layers.GRU(64)(x)
    return keras.Model(clips, layers.Dense(len(ACTIONS), activation="softmax")(x))


def motion(clips):
    """How much each clip moves."""
    amounts = np.zeros(len(clips))
    for n, clip in enumerate(clips):
        amounts[n] = np.abs(np.diff(clip, axis=0)).mean()  # finding: per-slice-op
    return amounts


def thumbnails(clips, names):
    for clip, name in zip(clips, names):
        cv2.imwrite(name + ".png", (clip[0] * 255).astype("uint8"))


def label_folder(model, folder):
    """One answer for each file, since a file is all that fits into memory."""
    answers = {}
    for name in sorted(os.listdir(folder)):
        clip = read_clip(os.path.join(folder, name)).astype("float32") / 255
        scores = model.predict(clip[None], verbose=0)[0]  # finding: predict-per-item
        answers[name] = ACTIONS[int(scores.argmax())]
    return answers


def sliding(model, frames, hop=4):
    """The action at each moment of one long recording."""
    scores = []
    for start in range(0, len(frames) - FRAMES, hop):
        window = frames[start : start + FRAMES]
        scores.append(model.predict_on_batch(window[None])[0])  # finding: predict-per-item
    return np.stack(scores)


if __name__ == "__main__":
    train_x, train_y = read_split("train")
    test_x, test_y = read_split("test")
    model = network()
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(train_x, train_y, batch_size=4, epochs=20)
    print(model.evaluate(test_x, test_y))  # finding: predict-batch-size
    print(motion(test_x).mean())
    thumbnails(test_x[:8], [f"thumb-{n}" for n in range(8)])
    print(label_folder(model, sys.argv[1]))
    model.save("actions.keras")
