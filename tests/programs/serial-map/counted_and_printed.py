# requires: tensorflow==2.11.*
"""Cell pictures with a look at what goes in: prints, a counter, a table of plates."""
import tensorflow as tf

PLATES = tf.lookup.StaticHashTable(
    tf.lookup.TextFileInitializer("plates.tsv", tf.string, 0, tf.int64, 1, delimiter="\t"), -1)


class Cells:
    def __init__(self, pattern, size=128):
        self.files = tf.data.Dataset.list_files(pattern)
        self.size = size
        self.seen = tf.Variable(0, dtype=tf.int64, trainable=False)

    def read(self, path):
        plate = tf.strings.split(path, "/")[-2]
        image = tf.io.decode_png(tf.io.read_file(path), channels=3, dtype=tf.uint16)
        return tf.image.resize(image, (self.size, self.size)) / 65535.0, PLATES.lookup(plate)

    def counted(self, image, plate):
        if self.seen.assign_add(1) % 1000 == 0:
            tf.print("pictures so far:", self.seen)
        return tf.image.per_image_standardization(image), plate

    def dataset(self, batch_size):
        ds = self.files.map(self.read)  # finding: serial-map
        ds = ds.map(self.counted)  # note: serial-map
        return ds.batch(batch_size).prefetch(tf.data.AUTOTUNE)


def build(size):
    return tf.keras.Sequential([
        tf.keras.layers.Conv2D(32, 3, activation="relu", input_shape=(size, size, 3)),
        tf.keras.layers.MaxPooling2D(),
        tf.keras.layers.Conv2D(64, 3, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(51, activation="softmax"),
    ])


if __name__ == "__main__":
    cells = Cells("plates/*/*.png")
    model = build(cells.size)
    model.compile("adam", "sparse_categorical_crossentropy")
    model.fit(cells.dataset(64), epochs=10)
