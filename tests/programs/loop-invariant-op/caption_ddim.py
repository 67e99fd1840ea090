# requires: keras>=3.0
"""Draws icons from a caption with a small latent diffusion model (Keras 3)."""
import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import click
import keras
import numpy as np
from keras import ops


class Schedule:
    def __init__(self, steps=1000, start=1e-4, end=0.02):
        self.steps = steps
        self.betas = ops.linspace(start, end, steps)

    def alpha_bar(self, t):
        abar = ops.cumprod(1.0 - self.betas)
        return ops.reshape(ops.take(abar, t), (-1, 1, 1, 1))


class IconPainter:
    def __init__(self, unet, text_encoder, decoder, vocab, guidance=6.0, size=32):
        self.unet = unet
        self.text_encoder = text_encoder
        self.decoder = decoder
        self.vocab = vocab
        self.guidance = guidance
        self.size = size
        self.schedule = Schedule()

    def tokenize(self, caption, length=24):
        ids = [self.vocab.get(w, 1) for w in caption.lower().split()][:length]
        return np.array([ids + [0] * (length - len(ids))], dtype="int32")

    def guided_noise(self, latents, t, caption):
        n = latents.shape[0]
        cond = self.text_encoder(self.tokenize(caption), training=False)  # note: loop-invariant-op
        null = self.text_encoder(self.tokenize(""), training=False)  # note: loop-invariant-op
        times = ops.full((n,), t, dtype="int32")
        eps_c = self.unet([latents, times, ops.repeat(cond, n, axis=0)], training=False)
        eps_u = self.unet([latents, times, ops.repeat(null, n, axis=0)], training=False)
        return eps_u + self.guidance * (eps_c - eps_u)

    def paint(self, caption, n=8, steps=50, seed=None):
        latents = keras.random.normal((n, self.size, self.size, 4), seed=seed)
        stride = self.schedule.steps // steps
        times = list(range(self.schedule.steps - 1, 0, -stride))
        for t, t_next in zip(times, times[1:] + [0]):
            eps = self.guided_noise(latents, t, caption)
            a, a_next = self.schedule.alpha_bar(t), self.schedule.alpha_bar(t_next)
            x0 = (latents - ops.sqrt(1.0 - a) * eps) / ops.sqrt(a)
            latents = ops.sqrt(a_next) * x0 + ops.sqrt(1.0 - a_next) * eps
        return ops.convert_to_numpy(self.decoder(latents, training=False))


def load_vocab(path):
    with open(path) as f:
        return {w.strip(): i + 2 for i, w in enumerate(f)}


@click.command()
@click.argument("caption")
@click.option("--weights", default="weights", show_default=True)
@click.option("--count", default=8)
@click.option("--seed", type=int)
def main(caption, weights, count, seed):
    painter = IconPainter(
        keras.models.load_model(f"{weights}/unet.keras"),
        keras.models.load_model(f"{weights}/text.keras"),
        keras.models.load_model(f"{weights}/decoder.keras"),
        load_vocab(f"{weights}/vocab.txt"),
    )
    for i, img in enumerate(painter.paint(caption, count, seed=seed)):
        keras.utils.save_img(f"icon{i}.png", img)


if __name__ == "__main__":
    main()
