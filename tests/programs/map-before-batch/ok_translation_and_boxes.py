# requires: tensorflow==2.9.1
"""Two inputs, one for translation and one for detection, that need one example at a time."""
import pathlib

import tensorflow as tf
import tensorflow_text as text

AUTO = tf.data.AUTOTUNE
RESERVED = ["[PAD]", "[UNK]", "[START]", "[END]"]
START, END = 2, 3


def load_pairs(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t")[:2] for line in lines]
    return [a for a, _ in pairs], [b for _, b in pairs]


class Tokenizer(tf.Module):
    def __init__(self, vocab_path):
        super().__init__()
        self.bert = text.BertTokenizer(vocab_path, lower_case=True)

    def tokenize(self, strings):
        tokens = self.bert.tokenize(strings).merge_dims(-2, -1)
        count = tokens.bounding_shape()[0]
        starts = tf.fill([count, 1], tf.constant(START, tf.int64))
        ends = tf.fill([count, 1], tf.constant(END, tf.int64))
        return tf.concat([starts, tokens, ends], axis=1)


def translation(path, source, target, batch_size):
    pairs = tf.data.Dataset.from_tensor_slices(load_pairs(path))

    def tokenize(a, b):
        return source.tokenize(a).to_tensor(), target.tokenize(b).to_tensor()

    batches = pairs.shuffle(20000).batch(batch_size)
    return batches.map(tokenize, num_parallel_calls=AUTO).prefetch(AUTO)


def characters(path, batch_size):
    """The same lines for a model of letters, each as long as it is."""
    lines = tf.data.TextLineDataset(path)

    def letters(line):
        codes = tf.strings.unicode_decode(line, "UTF-8")
        codes = tf.concat([[START], codes, [END]], axis=0)
        return codes[:-1], codes[1:]

    pairs = lines.map(letters)
    return pairs.padded_batch(batch_size, padded_shapes=([None], [None]))


def by_length(path, boundaries, batch_sizes):
    def words(line):
        found = tf.strings.split(line)
        return found, tf.size(found)

    pairs = tf.data.TextLineDataset(path).map(words)
    return pairs.bucket_by_sequence_length(
        lambda _, length: length, boundaries, batch_sizes, padded_shapes=([None], [])
    )


class BoxReader:
    spec = {
        "image": tf.io.FixedLenFeature([], tf.string),
        "boxes": tf.io.VarLenFeature(tf.float32),
        "labels": tf.io.VarLenFeature(tf.int64),
    }

    def __init__(self, pattern, side=512, training=False):
        self.pattern = pattern
        self.side = side
        self.training = training

    def parse(self, record):
        features = tf.io.parse_single_example(record, self.spec)
        image = tf.io.decode_jpeg(features["image"], channels=3)
        boxes = tf.reshape(tf.sparse.to_dense(features["boxes"]), (-1, 4))
        return image, boxes, tf.sparse.to_dense(features["labels"])

    def letterbox(self, image, boxes, labels):
        """The longer side becomes `side`; the rest is filled."""
        shape = tf.cast(tf.shape(image)[:2], tf.float32)
        ratio = self.side / tf.reduce_max(shape)
        image = tf.image.resize(image, tf.cast(tf.round(shape * ratio), tf.int32))
        image = tf.image.pad_to_bounding_box(image, 0, 0, self.side, self.side)
        return image, boxes * ratio, labels

    def mirror(self, image, boxes, labels):
        if tf.random.uniform(()) < 0.5:
            image = tf.image.flip_left_right(image)
            boxes = tf.stack(
                [boxes[:, 0], self.side - boxes[:, 3], boxes[:, 2], self.side - boxes[:, 1]], -1
            )
        return image, boxes, labels

    def largest_first(self, image, boxes, labels):
        order = tf.argsort(boxes[:, 2] * boxes[:, 3], direction="DESCENDING")
        return image, tf.gather(boxes, order), tf.gather(labels, order)

    def __call__(self, batch_size):
        files = tf.data.Dataset.list_files(self.pattern)
        records = files.interleave(tf.data.TFRecordDataset, num_parallel_calls=AUTO)
        dataset = records.map(self.parse).map(self.letterbox).map(self.largest_first)
        if self.training:
            dataset = dataset.map(self.mirror, num_parallel_calls=AUTO)
        dataset = dataset.padded_batch(
            batch_size, padded_shapes=((self.side, self.side, 3), (None, 4), (None,))
        )
        return dataset.map(self.scale).prefetch(AUTO)

    @staticmethod
    def scale(images, boxes, labels):
        return tf.cast(images, tf.float32) / 255.0, boxes, labels


if __name__ == "__main__":
    source, target = Tokenizer("vocab.de"), Tokenizer("vocab.en")
    for name, data in {
        "translation": translation("pairs.tsv", source, target, 64),
        "characters": characters("pairs.tsv", 64),
        "buckets": by_length("pairs.tsv", [10, 20, 40], [128, 64, 32, 16]),
        "boxes": BoxReader("boxes/*.tfrecord", training=True)(8),
    }.items():
        shapes = [tuple(part.shape) for part in next(iter(data))]
        print(name, shapes)
