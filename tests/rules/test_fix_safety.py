"""A fix that some inputs or callers would notice is unsafe, or is not made.

Each of these was seen in functions of public projects that were run before and after their fixes.
"""

from __future__ import annotations

import pytest

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.records import Level

NONE, SAFE, UNSAFE = "no fix", "safe", "unsafe"

INTERLEAVE = """\
import tensorflow as tf


def records(paths, width):
    files = tf.data.Dataset.from_tensor_slices(paths)
    return files.interleave(tf.data.TFRecordDataset, {})
"""
ARRAYS = """\
import numpy as np
import torch


def batch_of(samples):
    arrays = [np.asarray(sample) for sample in samples]
    return torch.tensor({})
"""
MODELS = """\
import torch


class Tagger:
    def __init__(self, path):
        self.path = path
        {}


def scores(rows):
    for row in rows:
        yield Tagger("a.pt").run(row)
"""
RUN = "\n\n    def run(self, row):\n        "
ANSWERS = """\
import numpy as np
from tensorflow import keras

network = keras.Sequential([keras.Input([4]), keras.layers.Dense(2)])


def episode(env):
    state = env.reset()
    while not env.finished:
        values = network.predict(state.reshape(1, -1), verbose=0)
        state = env.step({})
"""
BUILT = f"self.net = torch.nn.Linear(4, 1){RUN}"
FILLED = "\n        self.net.load_state_dict(kept)\n        return self.net(row)"
ENDPOINT = """\
import torch
from fastapi import FastAPI
from transformers import pipeline

app = FastAPI()
classify = pipeline("text-classification")
{}

@app.post("/classify")
async def answer(text: str):
    return classify(text)
"""
FIXES = {
    "an interleaving of a known width": (SAFE, "serial-map", INTERLEAVE, "cycle_length=4"),
    "an interleaving whose width is tuned": (
        UNSAFE,
        "serial-map",
        INTERLEAVE,
        "cycle_length=tf.data.AUTOTUNE",
    ),
    "an interleaving of an unknown width": (
        UNSAFE,
        "serial-map",
        INTERLEAVE,
        "cycle_length=width",
    ),
    "a list that may be empty": (UNSAFE, "tensor-from-array-list", ARRAYS, "arrays"),
    "a list that may be empty, with a type": (
        SAFE,
        "tensor-from-array-list",
        ARRAYS,
        "arrays, dtype=torch.float32",
    ),
    "a list of unlike types": (
        UNSAFE,
        "tensor-from-array-list",
        ARRAYS,
        "[np.zeros(9, np.float32), np.ones(9, np.int64)]",
    ),
    "a list with no type in so many words": (
        UNSAFE,
        "tensor-from-array-list",
        ARRAYS,
        "arrays, dtype=None",
    ),
    "weights that are used where they are loaded": (
        UNSAFE,
        "model-per-turn",
        MODELS,
        f"self.net = None{RUN}net = torch.hub.load('a', 'b')\n        return net(row)",
    ),
    "a model that each object keeps": (
        NONE,
        "model-per-turn",
        MODELS,
        f"self.net = torch.hub.load('a', 'b'){RUN}return self.net(row)",
    ),
    "weights that are loaded into another model": (
        UNSAFE,
        "model-per-turn",
        MODELS,
        f"{BUILT}kept = torch.load('a.pt'){FILLED}",
    ),
    "weights of which some are taken out": (
        NONE,
        "model-per-turn",
        MODELS,
        f"{BUILT}kept = torch.load('a.pt')\n        kept.pop('head'){FILLED}",
    ),
    "an answer that NumPy reads": (UNSAFE, "predict-per-item", ANSWERS, "np.argmax(values[0])"),
    "an answer of which the shape is read": (
        UNSAFE,
        "predict-per-item",
        ANSWERS,
        "np.argmax(values), values.shape",
    ),
    "an answer that is asked for what arrays alone have": (
        NONE,
        "predict-per-item",
        ANSWERS,
        "values[0].argmax()",
    ),
    "an answer that is written into": (
        NONE,
        "predict-per-item",
        ANSWERS,
        "0)\n        values[0, 0] = 1.0\n        state = env.step(np.argmax(values)",
    ),
    "an answer that is given back": (
        NONE,
        "predict-per-item",
        ANSWERS,
        "0)\n        yield (values",
    ),
    "a handler": (UNSAFE, "blocking-endpoint", ENDPOINT, ""),
    "a handler in a file that switches gradients off for its thread": (
        NONE,
        "blocking-endpoint",
        ENDPOINT,
        "torch.set_grad_enabled(False)\n",
    ),
}


@pytest.mark.parametrize("subject", FIXES)
def test_the_fix_is_as_safe_as_it_says_for(subject: str) -> None:
    expected, rule, text, written = FIXES[subject]
    options = Options(select=(rule,), level=Level.NOTE, preview=True)

    found = check_text(text.replace("{}", written), options).findings

    assert found
    fixes = {finding.fix.safety.value if finding.fix else NONE for finding in found}
    assert fixes == {expected}


def test_what_is_no_array_for_sure_is_not_told_of() -> None:
    text = """\
import numpy as np
import torch


class Meter:
    def update(self, value, count):
        self.sum, self.count = np.asarray(value), count

    def total(self):
        return torch.tensor([self.sum, self.count])
"""
    options = Options(select=("tensor-from-array-list",), level=Level.NOTE, preview=True)

    assert not check_text(text, options).findings
