# requires: tensorflow==2.11.0
"""Four ways to feed small pictures."""
import tensorflow as tf

AUTO = tf.data.AUTOTUNE
CLASSES = 10


class Scaler:
    def __init__(self, x):
        self.mean, self.spread = float(x.mean()), float(x.std())

    def __call__(self, image, label):
        return (tf.cast(image, tf.float32) - self.mean) / self.spread, label


def onehot(image, label):
    return image, tf.one_hot(label, depth=CLASSES)


def rows(x, y):
    data = tf.data.Dataset.from_tensor_slices((x, y))
    return data.map(Scaler(x), AUTO).shuffle(1024).batch(64).prefetch(AUTO)  # finding: map-before-batch


def named(x, y):
    data = tf.data.Dataset.from_tensor_slices({"x": x, "y": y})
    data = data.map(lambda row: {**row, "x": tf.cast(row["x"], tf.float32) / 255.0}, AUTO)  # finding: map-before-batch
    data = data.filter(lambda row: row["y"] < 5)
    return data.batch(64).prefetch(AUTO)


def flattened(x, y):
    data = tf.data.Dataset.from_tensor_slices((x, y))
    return data.map(lambda a, b: (tf.reshape(a, [784]), b), AUTO).batch(64).prefetch(AUTO)


def folder(path):
    data = tf.keras.utils.image_dataset_from_directory(path, image_size=(28, 28))
    return data.map(onehot, num_parallel_calls=AUTO).prefetch(AUTO)


def steps(train, val):
    out = []
    for part in (train, val):
        part = part.shuffle(1000).map(onehot, AUTO)  # finding: map-before-batch
        part = part.batch(64, drop_remainder=True)
        out.append(part.prefetch(AUTO))
    return out


def sequences(lines):
    data = tf.data.Dataset.from_tensor_slices(lines)
    data = data.map(lambda line: tf.strings.to_number(tf.strings.split(line, " ")), AUTO)
    return data.padded_batch(16).prefetch(AUTO)


def patches(x):
    data = tf.data.Dataset.from_tensor_slices(x)
    data = data.map(lambda a: tf.image.random_crop(a, [24, 24, 1]), AUTO)
    data = data.map(lambda a: tf.math.divide(tf.cast(a, tf.float32), 255.0), AUTO)  # finding: map-before-batch
    return data.batch(64).prefetch(AUTO)


def main():
    (x, y), (a, b) = tf.keras.datasets.mnist.load_data()
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(CLASSES)])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss)
    model.fit(rows(x, y), validation_data=flattened(a, b), epochs=3)
    for row in named(x, y).take(1):
        print(row["x"].shape)
    pairs = steps(tf.data.Dataset.from_tensor_slices((x, y)), tf.data.Dataset.from_tensor_slices((a, b)))
    print([part.element_spec for part in pairs], folder("pictures").element_spec)
    print(sequences(open("lines.txt").readlines()).element_spec, patches(x[..., None]).element_spec)


if __name__ == "__main__":
    main()
