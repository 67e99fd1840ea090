import os

from features import normalize
from model import BeamRecognizer


def latest(folder):
    steps = [int(name.split("-")[1].split(".")[0]) for name in os.listdir(folder) if "index" in name]
    return os.path.join(folder, "model-%d" % max(steps))


def transcribe_frames(frames, stats, hparams, folder):
    recognizer = BeamRecognizer(hparams, latest(folder))
    try:
        return recognizer.decode(normalize(frames, *stats))
    finally:
        recognizer.close()
