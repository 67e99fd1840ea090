"""Image sampling from a trained Keras diffusion model."""
import argparse
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf


def cosine_alphas(n, s=0.008):
    t = np.linspace(0, n, n + 1) / n
    f = np.cos((t + s) / (1 + s) * np.pi / 2) ** 2
    betas = np.clip(1 - f[1:] / f[:-1], 0, 0.999)
    return np.cumprod(1 - betas).astype(np.float32), betas.astype(np.float32)


class Sampler(tf.Module):
    def __init__(self, net, num_steps=1000, image_size=64):
        super().__init__()
        self.net = net
        self.num_steps = num_steps
        self.image_size = image_size
        abar, beta = cosine_alphas(num_steps)
        self.abar = tf.constant(abar)
        self.beta = tf.constant(beta)

    def _mean(self, x, eps, abar, beta):
        return (x - beta / tf.sqrt(1.0 - abar) * eps) / tf.sqrt(1.0 - beta)

    @tf.function(input_signature=[tf.TensorSpec([None, 64, 64, 3], tf.float32)])
    def __call__(self, x):
        n = tf.shape(x)[0]
        for step in tf.range(self.num_steps - 1, -1, -1):
            t = tf.fill([n], step)
            eps = self.net([x, t], training=False)
            mean = self._mean(x, eps, self.abar[step], self.beta[step])
            scale = tf.where(step > 0, tf.sqrt(self.beta[step]), 0.0)
            x = mean + scale * tf.random.normal(tf.shape(x))
            x = tf.ensure_shape(x, [None, 64, 64, 3])
        return tf.clip_by_value(x * 0.5 + 0.5, 0.0, 1.0)


def save_grid(images, path, cols=8):
    rows = len(images) // cols
    h, w, c = images.shape[1:]
    grid = images[: rows * cols].reshape(rows, cols, h, w, c)
    grid = grid.transpose(0, 2, 1, 3, 4).reshape(rows * h, cols * w, c)
    keras.utils.save_img(path, grid, scale=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="unet_ema.keras")
    p.add_argument("--count", type=int, default=512)
    p.add_argument("--batch", type=int, default=64)
    p.add_argument("--out", type=Path, default=Path("samples"))
    args = p.parse_args()

    args.out.mkdir(exist_ok=True)
    keras.mixed_precision.set_global_policy("mixed_float16")
    sampler = Sampler(keras.models.load_model(args.model, compile=False))
    for part in range(args.count // args.batch):
        noise = tf.random.normal([args.batch, 64, 64, 3])
        images = sampler(noise).numpy()
        save_grid(images, args.out / f"grid_{part:03d}.png")


if __name__ == "__main__":
    main()
