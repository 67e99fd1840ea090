import click
import tensorflow as tf

from audio_sets import AudioSet, log_mel


def network(classes):
    return tf.keras.Sequential([
        tf.keras.layers.Reshape((298, 64, 1), input_shape=(298, 64)),
        tf.keras.layers.Conv2D(32, 3, strides=2, activation="relu"),
        tf.keras.layers.Conv2D(64, 3, strides=2, activation="relu"),
        tf.keras.layers.GlobalAveragePooling2D(),
        tf.keras.layers.Dense(classes),
    ])


@click.command()
@click.argument("folder")
@click.option("--epochs", default=30)
@click.option("--seconds", default=3.0)
def main(folder, epochs, seconds):
    training = AudioSet.from_folder(folder + "/train").shuffled().waves(seconds).cached()
    training = training.features(log_mel(), num_parallel_calls=4).batches(64)  # finding: map-before-batch
    held_out = AudioSet.from_folder(folder + "/valid").waves(seconds).batches(64)
    spectrograms = held_out.dataset.map(log_mel(), num_parallel_calls=4)
    model = network(2)
    model.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(True), ["accuracy"])
    model.fit(training.dataset, validation_data=spectrograms, epochs=epochs)
    model.save("sirens.h5")


if __name__ == "__main__":
    main()
