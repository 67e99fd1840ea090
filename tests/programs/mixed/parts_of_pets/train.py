from absl import app, flags
import tensorflow as tf

from pets import steps
from pets.model import unet
from pets.sources import CachedPetSource, PetSource

FLAGS = flags.FLAGS
flags.DEFINE_string("records", "records", "Folder of the record files.")
flags.DEFINE_string("cache", "", "Where decoded pictures are kept.")
flags.DEFINE_integer("batch", 64, "Pictures per step.")
flags.DEFINE_integer("epochs", 30, "Passes over the data.")


def make_source():
    if FLAGS.cache:
        return CachedPetSource(FLAGS.records, FLAGS.cache)
    return PetSource(FLAGS.records)


def training_data(source):
    dataset = steps.resized(source.examples("train")).shuffle(1000)
    return steps.batched(steps.augmented(dataset), FLAGS.batch)


def validation_data(source):
    dataset = steps.resized(source.examples("test"))
    dataset = dataset.map(steps.center_pair, num_parallel_calls=steps.AUTOTUNE)  # finding: map-before-batch
    return steps.batched(dataset, FLAGS.batch)


def main(_):
    source = make_source()
    model = unet()
    model.compile(
        optimizer="adam",
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    model.fit(training_data(source), validation_data=validation_data(source), epochs=FLAGS.epochs)
    model.save("pets_unet")


if __name__ == "__main__":
    app.run(main)
