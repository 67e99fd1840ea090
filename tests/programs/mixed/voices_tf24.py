# requires: tensorflow==2.4.0
"""Data for a speaker recognizer, put together by several people."""
import dataclasses
import functools

import numpy as np
import tensorflow as tf

SECONDS = 3


@dataclasses.dataclass
class Source:
    clips: tf.data.Dataset
    speakers: tf.data.Dataset


def read(path):
    audio, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    return audio[: 16000 * SECONDS, 0]


def loud(audio):
    return audio * tf.random.uniform((), 0.5, 1.5)


def pair(audio, speaker):
    return tf.signal.stft(audio, 400, 160), tf.one_hot(speaker, 40)


class Corpus:
    def __init__(self, pattern):
        self.pattern = pattern

    @staticmethod
    def decoded(paths):
        return paths.map(map_func=read, num_parallel_calls=None)  # finding: serial-map

    def source(self, ids):
        paths = tf.data.Dataset.list_files(self.pattern, shuffle=False)
        return Source(self.decoded(paths), tf.data.Dataset.from_tensor_slices(ids))

    def pairs(self, ids):
        source = self.source(ids)
        both = tf.data.Dataset.zip((source.clips, source.speakers))
        return both.map(pair)  # finding: serial-map

    def louder(self):
        clips = self.decoded(tf.data.Dataset.list_files(self.pattern))
        return functools.reduce(lambda data, step: data.map(step, 4), [loud, tf.abs], clips)

    def mixed(self, folders):
        names = tf.data.Dataset.from_tensor_slices(folders)
        return names.interleave(  # finding: serial-map
            lambda folder: tf.data.Dataset.list_files(folder + "/*.wav"), cycle_length=4)

    def numbers(self):
        return tf.data.Dataset.range(20).map(lambda i: i * 2)


def generated(make):
    data = tf.data.Dataset.from_generator(make, tf.float32, [None])
    data = tf.data.Dataset.map(data, loud)  # finding: serial-map
    return data.padded_batch(8, [None]).prefetch(1)


def input_fn_for(corpus, ids, workers):
    def input_fn():
        data = corpus.pairs(ids).shuffle(500)
        if workers > 1:
            data = data.map(lambda s, y: (tf.abs(s), y), num_parallel_calls=workers)
        return data.padded_batch(16).prefetch(1)

    return input_fn


def main():
    corpus = Corpus("clips/*.wav")
    ids = np.load("ids.npy")
    data = input_fn_for(corpus, ids, 8)()
    for folder in corpus.mixed(["a", "b"]).take(3):
        print(folder)
    for number in corpus.numbers():
        print(number)
    for batch in generated(lambda: iter(np.load("noise.npy"))):
        print(batch.shape)
    print(data.element_spec, corpus.louder().element_spec)


if __name__ == "__main__":
    main()
