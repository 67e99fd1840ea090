"""Brightness along the outline of a cell, sampled from a microscope image."""

import jax.numpy as jnp
import numpy as np


class Microscope:
    def __init__(self, image):
        self.image = jnp.asarray(image)

    def along(self, outline):
        brightness = []
        for index in range(len(outline)):
            y, x = outline[index]
            brightness.append(self.image[y, x])  # finding
        return jnp.array(brightness)


def circle(radius, centre, points):
    angle = np.linspace(0.0, 2 * np.pi, points, endpoint=False)
    outline = np.stack([np.sin(angle), np.cos(angle)], axis=1) * radius + centre
    return outline.astype(int)


def main():
    image = np.random.default_rng(8).random((128, 128))
    profile = Microscope(image).along(circle(40.0, 64.0, 150))
    return float(profile.mean()), float(profile.std())


if __name__ == "__main__":
    print(main())
