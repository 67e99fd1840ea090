import sys

import tensorflow as tf
import yaml

from celeb.pipeline import Celeb
from celeb.vae import VAE


def probe(data, settings):
    """How well a linear layer tells the attributes."""
    model = tf.keras.Sequential([tf.keras.layers.Flatten(), tf.keras.layers.Dense(40)])
    model.compile("adam", tf.keras.losses.BinaryCrossentropy(from_logits=True))
    model.fit(data.labelled(0, settings["last"], settings["batch"]), epochs=1)


def main(path):
    with open(path) as file:
        settings = yaml.safe_load(file)
    data = Celeb(settings["root"], settings["scale"], settings["colors"])
    vae = VAE(settings["latent"], channels=3 if settings["colors"] else 1)
    vae.compile(optimizer=tf.keras.optimizers.Adam(settings["rate"]))
    if settings["normalized"]:
        train = data.normalized(0, settings["last"], settings["batch"])
    else:
        train = data.autoencoding(0, settings["last"], settings["batch"])
    vae.fit(train, epochs=settings["epochs"])
    probe(data, settings)
    vae.save_weights("vae.h5")


if __name__ == "__main__":
    main(sys.argv[1])
