"""Holds names of members against the frameworks installed here; prints those that none has.

Run in a process of its own.
"""

from __future__ import annotations

import jax.numpy as jnp
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
import torch

from deepperf.knowledge import members

mpl.use("agg")
ARRAYS = (np.zeros((2, 2)), torch.zeros(2, 2), tf.zeros((2, 2)), tf.TensorShape([2]))
SPARSE = (tf.sparse.from_dense([1.0]), torch.zeros(2).to_sparse())
MODELS = (torch.nn.Linear(1, 1), tf.keras.Sequential([tf.keras.layers.Dense(1)]), tf.compat.v1)
PICTURES = (plt, plt.figure(), plt.figure().add_subplot(projection="3d"))
HAVING: dict[str, tuple[object, ...]] = {
    "SHAPE_ATTRIBUTES": ARRAYS,
    "SHAPE_METHODS": ARRAYS,
    "VIEW_ATTRIBUTES": ARRAYS,
    "SPARSE_ATTRIBUTES": SPARSE,
    "MODEL_PARTS": MODELS,
    "MODEL_LISTINGS": MODELS,
    "DRAWINGS": PICTURES,
    "PANELS": PICTURES,
    "INDEXED_UPDATES": (jnp.zeros(2).at[0],),
    "VARIABLE_ASSIGNMENTS": (tf.Variable(0.0), tf.compat.v1),
}


def main() -> int:
    wrong = [
        f"{kind}: {name}"
        for kind, owners in HAVING.items()
        for name in sorted(getattr(members, kind))
        if not any(hasattr(owner, name) for owner in owners)
    ]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
