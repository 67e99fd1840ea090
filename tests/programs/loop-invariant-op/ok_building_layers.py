# requires: tensorflow==2.13.0
import tensorflow as tf
from torch import nn


def tower(inputs, depth, width):
    hidden = inputs
    for _ in range(depth):
        dense = tf.keras.layers.Dense(width, activation="relu")
        hidden = dense(hidden)
        hidden = tf.keras.layers.Dropout(0.1)(hidden)
    return tf.keras.Model(inputs, hidden)


class Stack(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layers = []
        for _ in range(depth):
            layers.append(nn.Linear(width, width))
            layers.append(nn.LayerNorm(width))
            layers.append(nn.GELU())
        self.body = nn.Sequential(*layers)

    def forward(self, x):
        return self.body(x)


model = tower(tf.keras.Input((64,)), depth=8, width=128)
