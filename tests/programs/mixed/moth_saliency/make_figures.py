#!/usr/bin/env python
"""Figures of the paper: what the network looks at on each moth's wings."""
import glob
import os
import sys

import matplotlib.pyplot as plt
import numpy as np
from keras.models import load_model
from keras.preprocessing import image as images

from saliency import SmoothGrad, activation_maximum, grad_cam

FOLDER = sys.argv[1] if len(sys.argv) > 1 else "moths"


def load(path, size=(224, 224)):
    return images.img_to_array(images.load_img(path, target_size=size)) / 255.0


def main():
    model = load_model("moths.h5")
    names = [line.strip() for line in open("species.txt")]
    smooth = SmoothGrad(model)
    os.makedirs("figures", exist_ok=True)
    paths = sorted(glob.glob(os.path.join(FOLDER, "*", "*.jpg")))
    stacked = np.stack([load(path) for path in paths])
    winners = model.predict(stacked, batch_size=32).argmax(axis=1)
    for path, picture, winner in zip(paths, stacked, winners):
        heat = grad_cam(model, picture, winner)
        figure, axes = plt.subplots(1, 3)
        axes[0].imshow(picture)
        axes[1].imshow(heat)
        axes[2].imshow(smooth(picture))
        figure.suptitle(names[winner])
        figure.savefig(os.path.join("figures", os.path.basename(path)))
        plt.close(figure)
    layer = model.get_layer("conv4_1")
    grid = [activation_maximum(model, layer, unit) for unit in range(4)]
    plt.imsave("figures/units.png", np.concatenate(grid, axis=1).astype("uint8"))


if __name__ == "__main__":
    main()
