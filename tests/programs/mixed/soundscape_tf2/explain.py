"""Writes maps of what mattered, for all recordings of a folder."""

import argparse
import pathlib

import librosa
import numpy as np
import tensorflow as tf
from trainer import Saliency


def spectrogram(path):
    audio, _ = librosa.load(path, sr=22050, duration=5.0)
    mel = librosa.feature.melspectrogram(y=audio, sr=22050)
    return librosa.power_to_db(mel)[..., None].astype("float32")


def export(model, folder):
    """A function for serving, once."""

    @tf.function(input_signature=[tf.TensorSpec([None, 128, None, 1], tf.float32)])
    def serve(mel):
        return {"probabilities": tf.nn.softmax(model(mel, training=False))}

    tf.saved_model.save(model, folder, signatures=serve)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--model", default="soundscape")
    parser.add_argument("--export")
    args = parser.parse_args()
    model = tf.keras.models.load_model(args.model)
    if args.export:
        export(model, args.export)
    saliency = Saliency(model, model.output_shape[-1])
    for path in sorted(args.folder.glob("**/*.ogg")):
        mel = tf.constant(spectrogram(path)[None])
        chosen = int(tf.argmax(model(mel, training=False)[0]))
        plain = saliency.for_class(chosen)(mel)
        smooth = saliency.smooth(mel, chosen)
        np.savez(path.with_suffix(".npz"), plain=plain.numpy(), smooth=smooth.numpy())


if __name__ == "__main__":
    main()
