"""Playing cards from tensorflow_datasets."""
import tensorflow as tf
import tensorflow_datasets as tfds


def prepare(image, label):
    return tf.image.resize(image, (96, 96)) / 127.5 - 1.0, label


def augment(image, label):
    return tf.image.random_hue(image, 0.1), label


def load(batch):
    (train, test), info = tfds.load(
        "cards", split=["train", "test"], as_supervised=True, with_info=True)
    train, test = [part.map(prepare) for part in (train, test)]  # finding: serial-map
    train = train.cache().shuffle(info.splits["train"].num_examples)
    train = train.map(augment, num_parallel_calls=4)
    return train.batch(batch).prefetch(1), test.batch(batch).prefetch(1)


def digits(batch):
    parts = tfds.load("mnist", as_supervised=True)
    scaled = {}
    for name, part in parts.items():
        part = part.map(lambda x, y: (tf.cast(x, tf.float32) / 255.0, y), 4)  # finding: map-before-batch
        scaled[name] = part.shuffle(5000).batch(batch).prefetch(1)
    return scaled


def letters(batch):
    data = tfds.builder("emnist").as_dataset(split="train", as_supervised=True)
    return data.shuffle(5000).batch(batch).map(lambda x, y: (tf.transpose(x, [0, 2, 1, 3]), y), 4).prefetch(1)


def triples(batch):
    def three(image, label):
        return tf.image.grayscale_to_rgb(image), tf.one_hot(label, 10)

    data = tfds.load("mnist", split="train", as_supervised=True, batch_size=None)
    options = dict(num_parallel_calls=tf.data.experimental.AUTOTUNE)
    return data.repeat().map(three, **options).batch(batch, drop_remainder=True).prefetch(1)  # finding: map-before-batch


def network(shape, classes):
    return tf.keras.Sequential([
        tf.keras.layers.Conv2D(16, 3, activation="relu", input_shape=shape),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(classes, activation="softmax"),
    ])


def main():
    train, test = load(32)
    model = network((96, 96, 3), 53)
    model.compile("adam", "sparse_categorical_crossentropy", ["accuracy"])
    model.fit(train, validation_data=test, epochs=30)
    parts = digits(128)
    small = network((28, 28, 1), 10)
    small.compile("adam", "sparse_categorical_crossentropy", ["accuracy"])
    small.fit(parts["train"], validation_data=parts["test"], epochs=3)
    small.fit(letters(128), epochs=1)
    wide = network((28, 28, 3), 10)
    wide.compile("adam", "categorical_crossentropy")
    wide.fit(triples(128), steps_per_epoch=400, epochs=3)


if __name__ == "__main__":
    main()
