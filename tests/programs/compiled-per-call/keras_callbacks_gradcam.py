# requires: tensorflow==2.15.*
"""Train a flower classifier and watch its Grad-CAM maps and saliency in TensorBoard."""
import datetime
import pathlib

import numpy as np
import tensorflow as tf

IMG = 180
BATCH = 32
EPOCHS = 40


def load_data(url="https://storage.googleapis.com/download.tensorflow.org/example_images/flower_photos.tgz"):
    root = pathlib.Path(tf.keras.utils.get_file("flower_photos.tar", origin=url, extract=True))
    root = root.with_suffix("")
    make = tf.keras.utils.image_dataset_from_directory
    common = dict(validation_split=0.2, seed=123, image_size=(IMG, IMG), batch_size=BATCH)
    train = make(root, subset="training", **common)
    val = make(root, subset="validation", **common)
    names = train.class_names
    tune = tf.data.AUTOTUNE
    return train.cache().shuffle(1000).prefetch(tune), val.cache().prefetch(tune), names


def build(classes):
    base = tf.keras.applications.EfficientNetV2B0(
        include_top=False, input_shape=(IMG, IMG, 3), pooling=None
    )
    base.trainable = False
    x = tf.keras.layers.GlobalAveragePooling2D(name="pool")(base.output)
    x = tf.keras.layers.Dropout(0.3)(x)
    out = tf.keras.layers.Dense(classes, activation="softmax")(x)
    return tf.keras.Model(base.input, out)


class Explain(tf.keras.callbacks.Callback):
    """After every hundredth batch, draws what the network looks at."""

    def __init__(self, images, logdir, layer="top_activation", every=100):
        super().__init__()
        self.images = tf.cast(images, tf.float32)
        self.writer = tf.summary.create_file_writer(logdir)
        self.layer, self.every, self.seen = layer, every, 0

    def on_train_begin(self, logs=None):
        model = self.model
        target = model.get_layer(self.layer).output
        grad_model = tf.keras.Model(model.inputs, [target, model.output])

        @tf.function
        def heatmaps(images):
            with tf.GradientTape() as tape:
                features, predictions = grad_model(images)
                best = tf.reduce_max(predictions, axis=1)
            grads = tf.reduce_mean(tape.gradient(best, features), axis=(1, 2), keepdims=True)
            return tf.nn.relu(tf.reduce_sum(features * grads, axis=-1, keepdims=True))

        self.heatmaps = heatmaps

    def on_train_batch_end(self, batch, logs=None):
        self.seen += 1
        if self.seen % self.every:
            return
        saliency = tf.function(self.saliency)  # finding: compiled-per-call
        maps = tf.image.resize(self.heatmaps(self.images), (IMG, IMG))
        maps = maps / (tf.reduce_max(maps, axis=(1, 2, 3), keepdims=True) + 1e-8)
        with self.writer.as_default(step=self.seen):
            tf.summary.image("gradcam", 0.5 * self.images / 255.0 + 0.5 * maps, max_outputs=8)
            tf.summary.image("saliency", saliency(self.images), max_outputs=8)

    def saliency(self, images):
        with tf.GradientTape() as tape:
            tape.watch(images)
            best = tf.reduce_max(self.model(images, training=False), axis=1)
        grads = tf.abs(tape.gradient(best, images))
        return tf.reduce_max(grads, axis=-1, keepdims=True)


def confusion(model, data, classes):
    total = np.zeros((classes, classes), int)
    for images, labels in data:
        predicted = np.argmax(model(images, training=False), axis=1)
        total += tf.math.confusion_matrix(labels, predicted, classes).numpy()
    return total


def main():
    train, val, names = load_data()
    model = build(len(names))
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    images = next(iter(val))[0][:8]
    logdir = "logs/" + datetime.datetime.now().strftime("%Y%m%d-%H%M%S")
    callbacks = [tf.keras.callbacks.TensorBoard(logdir), Explain(images, logdir)]
    model.fit(train, validation_data=val, epochs=EPOCHS, callbacks=callbacks)
    print(names, confusion(model, val, len(names)), sep="\n")
    model.save("flowers.keras")


if __name__ == "__main__":
    main()
