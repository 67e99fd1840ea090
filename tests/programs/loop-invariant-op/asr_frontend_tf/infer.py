import glob
import sys

import tensorflow as tf

from frontend import log_mel, log_mel_with


def read(path):
    wave, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    return wave[:, 0]


def transcribe(model, folder):
    texts = {}
    for path in glob.glob(folder + "/*.wav"):
        x = log_mel(read(path))  # note: loop-invariant-op
        logits = model(x[None], training=False)
        texts[path] = tf.argmax(logits, -1)[0].numpy().tolist()
    return texts


def transcribe_fast(model, folder):
    mel = tf.signal.linear_to_mel_weight_matrix(80, 257, 16000, 20.0, 8000.0)
    for path in glob.glob(folder + "/*.wav"):
        yield path, model(log_mel_with(read(path), mel)[None], training=False)


def augment(waves, rooms):
    index = 0
    noise = tf.random.normal([16000 * 30])
    while index < len(waves):
        room = tf.signal.rfft(rooms[index % len(rooms)], [65536])
        hush = tf.signal.rfft(noise, [524288])  # note: loop-invariant-op
        wave = tf.signal.rfft(waves[index], [65536])
        yield tf.signal.irfft(wave * room), hush
        index += 1


def white_noise(waves):
    for wave in waves:
        yield wave + 0.01 * tf.random.normal([160000])


if __name__ == "__main__":
    net = tf.keras.models.load_model(sys.argv[1])
    print(transcribe(net, sys.argv[2]))
