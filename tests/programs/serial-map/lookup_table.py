# requires: tensorflow==2.11.0
"""Tag prediction for questions."""
import tensorflow as tf


def vocabulary(path):
    init = tf.lookup.TextFileInitializer(
        path,
        key_dtype=tf.string,
        key_index=tf.lookup.TextFileIndex.WHOLE_LINE,
        value_dtype=tf.int64,
        value_index=tf.lookup.TextFileIndex.LINE_NUMBER,
    )
    return tf.lookup.StaticVocabularyTable(init, num_oov_buckets=1)


def batches(text_file, vocab_file, batch_size=64):
    table = vocabulary(vocab_file)

    def to_ids(lines):
        words = tf.strings.split(lines)
        return table.lookup(words.to_tensor(""))

    lines = tf.data.TextLineDataset(text_file)
    grouped = lines.shuffle(10_000).batch(batch_size)
    return grouped.map(to_ids).prefetch(1)  # note: serial-map


def main():
    model = tf.keras.Sequential(
        [tf.keras.layers.Embedding(20_001, 64), tf.keras.layers.GlobalMaxPool1D()]
    )
    for ids in batches("questions.txt", "vocab.txt"):
        print(model(ids).shape)


if __name__ == "__main__":
    main()
