"""Holds the shapes and weights that the engine finds against those of real models.

Run in a process of its own: `python layer_truth.py keras`. Prints what does not agree.
"""

from __future__ import annotations

import os
import sys

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.project import Project
from deepperf.semantics.frameworks.versions import admitted_versions
from deepperf.semantics.models import models
from deepperf.semantics.text.source import Source, read_source

KERAS = """
import keras
import numpy as np
from keras import layers

SIDE = 40
rows = np.random.rand(6, 30, 7)
images = keras.Sequential([
    keras.Input((SIDE, SIDE + 3, 3)),
    layers.Conv2D(8, 5, strides=2),
    layers.BatchNormalization(),
    layers.Activation("relu"),
    layers.Conv2D(6, (3, 2), padding="same", dilation_rate=2, use_bias=False),
    layers.DepthwiseConv2D(3, depth_multiplier=2),
    layers.SeparableConv2D(10, 3, padding="same"),
    layers.MaxPooling2D(),
    layers.ZeroPadding2D(((1, 2), (0, 1))),
    layers.Conv2DTranspose(5, 3, strides=2),
    layers.Conv2DTranspose(4, 2, strides=2, padding="same"),
    layers.Cropping2D(2),
    layers.UpSampling2D(),
    layers.AveragePooling2D(3, strides=2, padding="same"),
    layers.LayerNormalization(),
    layers.Dropout(0.1),
    layers.Flatten(),
    layers.Dense(12),
    layers.Reshape((3, -1)),
    layers.GlobalAveragePooling1D(),
    layers.RepeatVector(5),
    layers.GRU(7, return_sequences=True),
    layers.LSTM(3),
])
sequences = keras.Sequential()
sequences.add(keras.Input(shape=rows.shape[1:]))
sequences.add(layers.Conv1D(9, 4, padding="causal"))
sequences.add(layers.Bidirectional(layers.LSTM(5, return_sequences=True)))
sequences.add(layers.SimpleRNN(4, return_sequences=True))
sequences.add(layers.TimeDistributed(layers.Dense(3)))
sequences.add(layers.GlobalMaxPooling1D())
words = keras.Sequential([
    keras.Input((11,)),
    layers.Embedding(50, 6),
    layers.Bidirectional(layers.GRU(4)),
    layers.Dense(2),
])
videos = keras.Sequential([
    keras.Input((4, 12, 12, 2)),
    layers.TimeDistributed(layers.Conv2D(3, 3)),
    layers.ConvLSTM2D(5, 3, padding="same", return_sequences=True),
    layers.Conv3D(4, 2),
    layers.GlobalAveragePooling3D(),
])
x = inputs = keras.Input((16, 16, 3))
x = layers.Conv2D(4, 3, padding="same")(x)
y = layers.Conv2D(4, 1)(x)
x = layers.Add()([x, y])
x = layers.concatenate([x, inputs])
x = layers.Conv2D(filters=6, kernel_size=3)(x)
x = layers.GlobalMaxPooling2D()(x)
branches = keras.Model(inputs, layers.Dense(2)(x))
MODELS = [images, sequences, words, videos, branches]
"""

TORCH = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 5, stride=2, padding=1),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.MaxPool2d(3, stride=2, ceil_mode=True),
            nn.Conv2d(8, 12, 3, groups=4, dilation=2, padding="same", bias=False),
            nn.ConvTranspose2d(12, 6, 4, stride=2, padding=1, output_padding=1),
            nn.AvgPool2d(2),
        )
        self.last = nn.Conv2d(6, 5, (3, 1))
        self.pool = nn.AdaptiveAvgPool2d((4, 3))
        self.classifier = nn.Sequential(nn.Linear(5 * 4 * 3, 20), nn.Dropout(), nn.Linear(20, 2))

    def forward(self, x):
        x = self.features(x)
        x = torch.relu(self.last(x))
        x = self.pool(x)
        x = torch.flatten(x, 1)
        return self.classifier(x)

net = Net()
IMAGES = torch.randn(2, 3, 33, 31)
net(IMAGES)
plain = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(4 * 31 * 29, 3))
plain(IMAGES)
"""


def found(text: str) -> list[models.Placed]:
    source = read_source("models.py", text.encode())
    assert isinstance(source, Source)
    analysis = Analysis(Project({"models.py": source}, admitted_versions({})), "models.py")
    layers = {
        id(layer.call): layer
        for scope in analysis.module("models.py").scopes.module.walk()
        for layer in models.layers_of(analysis, models.unit_of(scope)).values()
    }
    return sorted(layers.values(), key=lambda layer: (layer.call.lineno, layer.call.col_offset))


def disagreements(
    layers: list[models.Placed], real: list[tuple[str, tuple[int, ...], int]]
) -> list[str]:
    wrong = []
    if len(layers) != len(real):
        wrong.append(f"{len(layers)} layers found, {len(real)} are there")
    for layer, (name, sizes, count) in zip(layers, real, strict=False):
        known = layer.after.sizes if layer.after is not None else None
        if known != sizes or layer.parameters != count:
            wrong.append(f"{name}: found {known} and {layer.parameters}, not {sizes} and {count}")
    return wrong


def of_keras() -> list[str]:
    names: dict[str, object] = {}
    exec(KERAS, names)
    real = [
        (layer.name, tuple(layer.output.shape[1:]), layer.count_params())
        for model in names["MODELS"]  # type: ignore[attr-defined]
        for layer in model.layers
        if type(layer).__name__ != "InputLayer"
    ]
    wrappers = ("TimeDistributed", "Bidirectional")
    all_layers = found(KERAS)
    inner = {
        id(argument)
        for layer in all_layers
        if getattr(layer.call.func, "attr", "") in wrappers
        for argument in layer.call.args
    }
    layers = [
        layer
        for layer in all_layers
        if getattr(layer.call.func, "attr", "") != "Input" and id(layer.call) not in inner
    ]
    return disagreements(layers, real)


def of_torch() -> list[str]:
    names: dict[str, object] = {}
    exec(TORCH, names)
    real: list[tuple[str, tuple[int, ...], int]] = []

    def note(module: object, _: object, result: object) -> None:
        sizes = tuple(result.shape[1:])  # type: ignore[attr-defined]
        weights = sum(p.numel() for p in module.parameters())  # type: ignore[attr-defined]
        real.append((type(module).__name__, (*sizes[1:], sizes[0]), weights))

    for name in ("net", "plain"):
        model = names[name]
        for module in model.modules():  # type: ignore[attr-defined]
            if not list(module.children()):
                module.register_forward_hook(note)
        model(names["IMAGES"])  # type: ignore[operator]
    return disagreements(found(TORCH), real)


if __name__ == "__main__":
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    lines = of_keras() if sys.argv[1] == "keras" else of_torch()
    print("\n".join(lines))
    sys.exit(1 if lines else 0)
