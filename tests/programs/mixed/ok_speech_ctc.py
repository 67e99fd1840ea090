# requires: tensorflow==2.4.1
"""CTC speech model on sharded FLAC records."""
from functools import partial

import tensorflow as tf

Dataset = tf.data.Dataset
PAR = {"num_parallel_calls": tf.data.experimental.AUTOTUNE}
pmap = partial(Dataset.map, **PAR)

LETTERS = tf.constant(list(" 'abcdefghijklmnopqrstuvwxyz"))
TABLE = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(LETTERS, tf.range(1, 29)), 0)
MEL = tf.signal.linear_to_mel_weight_matrix(80, 257, 16000, 60.0, 7600.0)
SPEC = {"audio": tf.io.FixedLenFeature([], tf.string), "text": tf.io.FixedLenFeature([], tf.string)}


def parse(blob):
    ex = tf.io.parse_single_example(blob, SPEC)
    pcm = tf.io.decode_raw(ex["audio"], tf.int16)
    letters = tf.strings.unicode_split(tf.strings.lower(ex["text"]), "UTF-8")
    return tf.cast(pcm, tf.float32) / 32768.0, TABLE.lookup(letters)


def speed(wave, text):
    gap = tf.random.uniform([], -0.1, 0.1)
    n = tf.shape(wave)[0]
    m = tf.cast(tf.cast(n, tf.float32) * (1.0 + gap), tf.int32)
    pos = tf.linspace(0.0, tf.cast(n - 2, tf.float32), m)
    lo = tf.cast(pos, tf.int32)
    f = pos - tf.cast(lo, tf.float32)
    return tf.gather(wave, lo) * (1 - f) + tf.gather(wave, lo + 1) * f, text


def logmel(wave, text):
    s = tf.abs(tf.signal.stft(wave, 400, 160, 512))
    m = tf.math.log(s @ MEL + 1e-5)
    return m - tf.reduce_mean(m, 0, keepdims=True), text


def mask(mel, text):
    t = tf.shape(mel)[0]
    start = tf.random.uniform([], 0, tf.maximum(t - 40, 1), tf.int32)
    row = tf.range(t)
    keep = tf.cast((row < start) | (row >= start + 40), tf.float32)
    return mel * keep[:, None], text


def lengths(mel, text):
    frames = tf.reduce_sum(tf.cast(tf.reduce_any(mel != 0.0, 2), tf.int32), 1)
    return (mel, tf.maximum(frames // 4, 1)), (text, tf.math.count_nonzero(text, 1, dtype=tf.int32))


def chain(training):
    yield pmap, parse
    if training:
        yield pmap, speed
    yield pmap, logmel
    if training:
        yield pmap, mask


def corpus(pattern, training, batch=32):
    ds = Dataset.list_files(pattern, shuffle=training)
    ds = ds.interleave(tf.data.TFRecordDataset, 8, 4, **PAR)
    if training:
        ds = ds.shuffle(4096)
    for apply, fn in chain(training):
        ds = apply(ds, fn)
    ds = ds.padded_batch(batch, ([None, 80], [None]))
    return pmap(ds, lengths).prefetch(2)


def acoustic():
    L = tf.keras.layers
    return tf.keras.Sequential([
        L.Conv1D(256, 11, 2, "same", activation="relu", input_shape=(None, 80)),
        L.Conv1D(256, 11, 2, "same", activation="relu"),
        L.Bidirectional(L.GRU(256, return_sequences=True)), L.Dense(29)])


net = acoustic()
opt = tf.keras.optimizers.Adam(3e-4)


def ctc(x, frames, y, chars):
    logits = tf.transpose(net(x), (1, 0, 2))
    return tf.reduce_mean(tf.nn.ctc_loss(y, logits, chars, tf.minimum(frames, tf.shape(logits)[0]), blank_index=0))


@tf.function(experimental_relax_shapes=True)
def train(x, frames, y, chars):
    with tf.GradientTape() as tape:
        loss = ctc(x, frames, y, chars)
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss


if __name__ == "__main__":
    data = corpus("libri/train-*.rec", True)
    for epoch in range(40):
        for i, ((x, frames), (y, chars)) in enumerate(data):
            loss = train(x, frames, y, chars)
            if i % 100 == 0:
                tf.print(epoch, i, loss)
        net.save_weights("ctc-%02d.h5" % epoch)
