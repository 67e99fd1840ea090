"""Holds names of members against the frameworks installed here; prints those that none has.

Run in a process of its own.
"""

from __future__ import annotations

import ast
import builtins
import collections
import csv
import importlib.util
import io
import logging
import multiprocessing.pool
import pickle
import queue
from pathlib import Path
from types import SimpleNamespace

import jax.numpy as jnp
import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import tensorflow as tf
import torch
import tqdm  # type: ignore[import-untyped]
import transformers
from PIL import Image, ImageOps
from safetensors import torch as safetensors

from deepperf.knowledge import members

mpl.use("agg")
ARRAYS = (np.zeros((2, 2)), torch.zeros(2, 2), tf.zeros((2, 2)), tf.TensorShape([2]))
DATASET = tf.data.Dataset.range(1)
IMAGES: tuple[object, ...] = (tf.keras.utils, tf.keras.applications.vgg16, Image, Image.Image)
IMAGES += (ImageOps, tf.keras.preprocessing.text.Tokenizer)
SPARSE = (tf.sparse.from_dense([1.0]), torch.zeros(2).to_sparse())
MODELS = (torch.nn.Linear(1, 1), tf.keras.Sequential([tf.keras.layers.Dense(1)]), tf.compat.v1)
PICTURES = (plt, plt.figure(), plt.figure().add_subplot(projection="3d"))
CONTAINERS: tuple[object, ...] = ([], set(), {}, collections.deque(), queue.Queue())
FUNCTIONS = (np, torch, tf, tf.math, jnp, np.linalg, tf.experimental.numpy, *ARRAYS)
MODULES = (pickle, torch, safetensors, tf.keras.Model, tf.keras.models, tf.compat.v1.train.Saver)


def writer_of_tensorboard() -> SimpleNamespace:
    """The methods of PyTorch's writer for TensorBoard, which is not installed here."""
    found = importlib.util.find_spec("torch.utils.tensorboard")
    assert found is not None
    assert found.origin is not None
    tree = ast.parse(Path(found.origin).with_name("writer.py").read_text(encoding="utf-8"))
    defined = [node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return SimpleNamespace(**dict.fromkeys(defined))


TRACKERS = (writer_of_tensorboard(), transformers.Trainer)
ELSEWHERE = {
    "cvtColor": "OpenCV",
    "decode": "Datasets",
    "encode_image": "CLIP",
    "encode_text": "CLIP",
    "forward_features": "timm",
    "get_fdata": "NiBabel",
    "head": "pandas",
    "imresize": "SciPy, long ago",
    "imwrite": "OpenCV",
    "iterrows": "pandas",
    "itemset": "NumPy before 2.0",
    "itertuples": "pandas",
    "log_metric": "MLflow",
    "push": "buffers of agents",
    "save_checkpoint": "Lightning",
    "sent_tokenize": "NLTK",
    "tail": "pandas",
    "to_tensor": "torchvision",
    "to_csv": "pandas",
}
"""Names of libraries that the tests do not install."""
LOGS = (builtins, logging, io.StringIO(), csv.writer(io.StringIO()), tqdm.tqdm)
HAVING: dict[str, tuple[object, ...]] = {
    "SHAPE_ATTRIBUTES": ARRAYS,
    "KIND_ATTRIBUTES": ARRAYS,
    "SHAPE_METHODS": ARRAYS,
    "VIEW_ATTRIBUTES": ARRAYS,
    "SPARSE_ATTRIBUTES": SPARSE,
    "MODEL_PARTS": MODELS,
    "MODEL_LISTINGS": MODELS,
    "DRAWINGS": PICTURES,
    "PANELS": PICTURES,
    "ARRAY_MEMBERS": ARRAYS,
    "ARRAY_QUESTIONS": ARRAYS,
    "ARRAY_CHANGES": ARRAYS,
    "STATE_CHANGES": (*MODELS, [], np, tf.compat.v1, io.StringIO()),
    "REGISTRATIONS": MODELS,
    "ASKINGS": (*MODELS, transformers.PreTrainedTokenizerBase),
    "PREDICTIONS": MODELS,
    "EMBEDDINGS": (transformers.CLIPModel,),
    "CUTS": (*ARRAYS, DATASET),
    "ROW_LISTINGS": (*ARRAYS, DATASET),
    "FLATTENINGS": ARRAYS,
    "PERMUTATIONS": ARRAYS,
    "AXIS_SWAPS": ARRAYS,
    "MASKINGS": FUNCTIONS,
    "PLACE_FINDERS": (*FUNCTIONS, tf.raw_ops, tf.compat.v1),
    "ROW_JOINS": FUNCTIONS,
    "RESIZINGS": (*IMAGES, tf.image),
    "SAMPLE_STEPS": (*FUNCTIONS, *IMAGES, tf.image, tf.io, "", builtins, io.BytesIO()),
    "BATCH_STEPS": IMAGES,
    "TEXT_METHODS": ("",),
    "TEXT_SPLITS": ("", io.StringIO()),
    "LIST_ADDITIONS": ([],),
    "POOL_METHODS": (multiprocessing.pool.Pool,),
    "CONTAINER_ADDITIONS": CONTAINERS,
    "CONTAINER_REMOVALS": CONTAINERS,
    "CONVERSIONS": ARRAYS,
    "CONVERTERS": FUNCTIONS,
    "AXIS_ADDITIONS": FUNCTIONS,
    "REPETITIONS": FUNCTIONS,
    "COMBINATIONS": FUNCTIONS,
    "REDUCTIONS": FUNCTIONS,
    "QUANTILES": FUNCTIONS,
    "JOINS": FUNCTIONS,
    "HOST_READS": ARRAYS,
    "CHECKPOINT_WRITES": (*MODULES, transformers.PreTrainedModel, transformers.Trainer),
    "LOG_WRITES": (*LOGS, *TRACKERS),
    "DISPLAYS": (*PICTURES, *TRACKERS),
    "PICTURE_SETTINGS": PICTURES,
    "INDEXED_UPDATES": (jnp.zeros(2).at[0],),
    "VARIABLE_ASSIGNMENTS": (tf.Variable(0.0), tf.compat.v1),
}


def main() -> int:
    wrong = [
        f"{kind}: {name}"
        for kind, owners in HAVING.items()
        for name in sorted(getattr(members, kind))
        if name not in ELSEWHERE and not any(hasattr(owner, name) for owner in owners)
    ]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
