# requires: tensorflow==2.4.*
"""Speech enhancement. All maps of the pipeline are made parallel by its options."""

import argparse

import tensorflow as tf

FRAME, STEP = 512, 128


def parallel_options():
    options = tf.data.Options()
    options.experimental_optimization.map_parallelization = True
    options.experimental_deterministic = False
    return options


def read(path):
    wave, _ = tf.audio.decode_wav(tf.io.read_file(path), desired_channels=1)
    return wave[:, 0]


def cut(wave):
    return wave[:48_000]


def spectrum(pair):
    clean, noisy = pair[:, 0], pair[:, 1]
    return tf.abs(tf.signal.stft(noisy, FRAME, STEP)), tf.abs(tf.signal.stft(clean, FRAME, STEP))


def pairs(clean_glob, noise_glob):
    clean = tf.data.Dataset.list_files(clean_glob).map(read).map(cut)
    noise = tf.data.Dataset.list_files(noise_glob).map(read).map(cut).repeat()
    return tf.data.Dataset.zip((clean, noise))


def mix(clean, noise):
    length = tf.minimum(tf.shape(clean)[0], tf.shape(noise)[0])
    return tf.stack([clean[:length], clean[:length] + 0.3 * noise[:length]], axis=-1)


def make(args):
    ds = pairs(args.clean, args.noise).map(mix).map(spectrum)
    ds = ds.padded_batch(args.batch_size, ([None, FRAME // 2 + 1], [None, FRAME // 2 + 1]))
    return ds.with_options(parallel_options()).prefetch(tf.data.experimental.AUTOTUNE)


def temperatures():
    """A handful of numbers for the plot in the report."""
    return list(tf.data.Dataset.range(12).map(lambda i: 0.5 + tf.cast(i, tf.float32) / 10).as_numpy_iterator())


def mask_net():
    x = inputs = tf.keras.Input((None, FRAME // 2 + 1))
    for _ in range(2):
        x = tf.keras.layers.Bidirectional(tf.keras.layers.LSTM(256, return_sequences=True))(x)
    mask = tf.keras.layers.Dense(FRAME // 2 + 1, activation="sigmoid")(x)
    return tf.keras.Model(inputs, inputs * mask)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--clean", default="vctk/*.wav")
    parser.add_argument("--noise", default="demand/*.wav")
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()
    print("temperatures", temperatures())
    model = mask_net()
    model.compile("adam", "mse")
    model.fit(make(args), epochs=50)
