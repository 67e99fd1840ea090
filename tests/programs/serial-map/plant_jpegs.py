# requires: tensorflow==2.3.*
"""Plant disease classifier (Kaggle, EfficientNet)."""
import pandas as pd
import tensorflow as tf

PATH = "../input/plant-pathology-2020-fgvc7/"
SIZE, BATCH = 512, 16

train = pd.read_csv(PATH + "train.csv")
paths = PATH + "images/" + train.image_id + ".jpg"
labels = train.drop(columns="image_id").values.astype("float32")


def decode(path, label=None):
    image = tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
    image = tf.image.resize(image, (SIZE, SIZE))
    return image if label is None else (image, label)


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_flip_up_down(image)
    image = tf.image.random_saturation(image, 0.8, 1.2)
    return image, label


def train_set(p, y):
    ds = tf.data.Dataset.from_tensor_slices((p, y))
    ds = ds.map(decode)  # finding: serial-map
    ds = ds.map(augment)  # note: serial-map
    ds = ds.repeat().shuffle(512).batch(BATCH)
    return ds.prefetch(tf.data.experimental.AUTOTUNE)


def valid_set(p, y):
    ds = tf.data.Dataset.from_tensor_slices((p, y))
    return ds.map(decode, num_parallel_calls=tf.data.experimental.AUTOTUNE).batch(BATCH).cache().prefetch(1)


def build():
    base = tf.keras.applications.EfficientNetB4(include_top=False, pooling="avg", input_shape=(SIZE, SIZE, 3))
    out = tf.keras.layers.Dense(labels.shape[1], activation="softmax")(base.output)
    model = tf.keras.Model(base.input, out)
    model.compile("adam", "categorical_crossentropy", metrics=["categorical_accuracy"])
    return model


def schedule(epoch, start=1e-5, top=4e-4, warm=4):
    if epoch < warm:
        return start + (top - start) * epoch / warm
    return start + (top - start) * 0.8 ** (epoch - warm)


def main():
    cut = int(0.85 * len(paths))
    model = build()
    model.fit(
        train_set(paths[:cut], labels[:cut]),
        steps_per_epoch=cut // BATCH,
        epochs=20,
        validation_data=valid_set(paths[cut:], labels[cut:]),
        callbacks=[tf.keras.callbacks.LearningRateScheduler(schedule)],
    )
    test = pd.read_csv(PATH + "test.csv")
    names = PATH + "images/" + test.image_id + ".jpg"
    ds = tf.data.Dataset.from_tensor_slices(names).map(decode).batch(BATCH)  # finding: serial-map
    probs = model.predict(ds)
    sub = pd.DataFrame(probs, columns=train.columns[1:])
    sub.insert(0, "image_id", test.image_id)
    sub.to_csv("submission.csv", index=False)


if __name__ == "__main__":
    main()
