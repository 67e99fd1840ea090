# requires: tensorflow==2.15.*
"""Nightly re-training of the lip reading model from clips that users flagged.

The clips lie in object storage as shards of records, one per speaker.
"""
import argparse
import json
import pathlib
import threading
import time

import tensorflow as tf

VOCAB = list("abcdefghijklmnopqrstuvwxyz'?!123456789 ")


class Heartbeat(threading.Thread):
    """Tells the scheduler that we are alive."""

    def __init__(self, path, every=30.0):
        super().__init__(daemon=True)
        self.path = pathlib.Path(path)
        self.every = every
        self.stopped = threading.Event()

    def run(self):
        while not self.stopped.wait(self.every):
            self.path.write_text(str(time.time()))


class ClipSource:
    def __init__(self, settings):
        self.settings = settings
        self.jitter = settings.get("jitter", 4)
        self.seen = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.table = tf.lookup.StaticVocabularyTable(
            tf.lookup.KeyValueTensorInitializer(VOCAB, list(range(len(VOCAB))), value_dtype=tf.int64),
            num_oov_buckets=1,
        )

    def parse(self, record):
        example = tf.io.parse_single_example(
            record,
            {
                "frames": tf.io.VarLenFeature(tf.string),
                "text": tf.io.FixedLenFeature([], tf.string),
            },
        )
        frames = tf.map_fn(
            lambda png: tf.io.decode_png(png, channels=1),
            tf.sparse.to_dense(example["frames"]),
            fn_output_signature=tf.uint8,
        )
        return tf.cast(frames, tf.float32) / 255.0, example["text"]

    def shift(self, frames, text):
        dx = tf.random.uniform([], -self.jitter, self.jitter + 1, tf.int32)
        dy = tf.random.uniform([], -self.jitter, self.jitter + 1, tf.int32)
        self.seen.assign_add(1)
        return tf.roll(frames, [dy, dx], axis=[1, 2]), text

    def tokens(self, frames, text):
        return frames, self.table.lookup(tf.strings.unicode_split(text, "UTF-8"))

    def open_speaker(self, path):
        clips = tf.data.TFRecordDataset(path, compression_type="GZIP")
        return clips.take(self.settings["per_speaker"])

    def training(self):
        speakers = tf.data.Dataset.list_files(self.settings["train"], shuffle=True)
        clips = speakers.interleave(self.open_speaker, cycle_length=16)  # finding: serial-map
        clips = clips.map(self.parse)
        clips = clips.map(self.shift)  # note: serial-map
        return self._finish(clips.shuffle(128))

    def validation(self):
        clips = tf.data.TFRecordDataset(
            tf.io.gfile.glob(self.settings["valid"]), num_parallel_reads=tf.data.AUTOTUNE
        )
        return self._finish(clips.map(self.parse, num_parallel_calls=tf.data.AUTOTUNE))

    def _finish(self, clips):
        clips = clips.map(self.tokens, num_parallel_calls=tf.data.AUTOTUNE)
        return clips.padded_batch(
            self.settings["batch"], padded_shapes=([75, 46, 140, 1], [None])
        ).prefetch(tf.data.AUTOTUNE)


def ctc_loss(y_true, y_pred):
    batch = tf.shape(y_pred)[0]
    frames = tf.fill([batch, 1], tf.shape(y_pred)[1])
    letters = tf.fill([batch, 1], tf.shape(y_true)[1])
    return tf.keras.backend.ctc_batch_cost(y_true, y_pred, frames, letters)


def build():
    layers = tf.keras.layers
    stack = [layers.Input((75, 46, 140, 1))]
    for filters in (32, 64, 96):
        stack += [layers.Conv3D(filters, 3, padding="same", activation="relu"), layers.MaxPool3D((1, 2, 2))]
    stack += [
        layers.TimeDistributed(layers.Flatten()),
        layers.Bidirectional(layers.LSTM(128, return_sequences=True)),
        layers.Dense(len(VOCAB) + 2, activation="softmax"),
    ]
    return tf.keras.Sequential(stack)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("settings", type=pathlib.Path)
    parser.add_argument("--heartbeat", default="/run/lip/alive")
    args = parser.parse_args()
    settings = json.loads(args.settings.read_text())
    beat = Heartbeat(args.heartbeat)
    beat.start()
    try:
        source = ClipSource(settings)
        model = build()
        if settings.get("resume"):
            model.load_weights(settings["resume"])
        model.compile(tf.keras.optimizers.Adam(settings["lr"]), ctc_loss)
        model.fit(source.training(), validation_data=source.validation(), epochs=settings["epochs"])
        model.save_weights(settings["out"])
        print("clips used:", int(source.seen))
    finally:
        beat.stopped.set()


if __name__ == "__main__":
    main()
