"""A fix that some inputs or callers would notice is unsafe, or is not made.

Each of these was seen in functions of public projects that were run before and after their fixes.
"""

from __future__ import annotations

import pytest

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety

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
KEPT = """\
import torch

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)


def train(loader):
    losses = []
    for batch in loader:
        loss = model(batch).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    {}
    return total


if __name__ == "__main__":
    train(torch.utils.data.DataLoader(torch.ones(9, 3)))
"""
ROWS = """\
import numpy as np
from tensorflow import keras

network = keras.Sequential([keras.Input([2]), keras.layers.Dense(1)])
print(network.predict(np.zeros((1000000, 2)), verbose=0))
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
ORDERED = """\
import tensorflow as tf


def training(names):
    files = tf.data.Dataset.list_files(names, shuffle=False)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=4)
    options = tf.data.Options()
    options.{}
    return records.with_options(options)
"""
EVALUATION = """\
import torch
from torch.utils.data import DataLoader

model = torch.nn.Linear(3, 1)
other = torch.nn.Linear(3, 3)


def evaluate(loader: DataLoader, rows, kept, meter):
    model.eval()
    total, best = 0.0, [[] for _ in range(3)]
    for batch in loader:
        scores = model(batch)
        total += scores.sum().item()
        {}


def doubled(network):
    return network.weight * 2


def keep(meter, network):
    meter.last = network.weight * 2


def keep_scores(meter, batch):
    meter.last = model(batch)


def mean_of(values):
    return values.view(-1).mean()


def remember(meter, value):
    meter.last = value * 2


def rounded(number):
    return round(number * 100) / 100


if __name__ == "__main__":
    evaluate(DataLoader(torch.ones(9, 3)), torch.ones(3), [], None)
"""
PADDED = """\
from transformers import AutoModel, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("a")
model = AutoModel.from_pretrained("a")


def train(batches, optimizer):
    for texts in batches:
        encoded = tokenizer(texts, max_length=300, padding="max_length", return_tensors="pt")
        loss = model({}).last_hidden_state.mean()
        loss.backward()
        optimizer.step()
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
    "an interleaving whose elements keep their order": (
        SAFE,
        "serial-map",
        ORDERED,
        "deterministic = True",
    ),
    "an interleaving whose elements may lose their order": (
        UNSAFE,
        "serial-map",
        ORDERED,
        "deterministic = False",
    ),
    "an evaluation that gives numbers": (
        SAFE,
        "missing-no-grad",
        EVALUATION,
        "best[0].append(scores.tolist())\n    return total, best",
    ),
    "an evaluation that puts scores into what was passed": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "kept.append(scores)\n    return total",
    ),
    "an evaluation that gives back a list of lists of scores": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "best[0].append({'score': scores})\n    return best",
    ),
    "an evaluation that gives back what another model gave": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, other(rows)",
    ),
    "an evaluation that gives back how many are right": (
        SAFE,
        "missing-no-grad",
        EVALUATION,
        "right = (scores > 0).sum()\n    return total, right",
    ),
    "an evaluation that gives back a penalty": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, (model.weight**2).sum()",
    ),
    "an evaluation that passes on what another model gave": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    meter.keep(other(rows))\n    return total",
    ),
    "an evaluation that gives back a weight, doubled": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, model.weight * 2",
    ),
    "an evaluation that gives back a weight as it is": (
        SAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, model.weight",
    ),
    "an evaluation that gives back a row of a weight": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, model.weight[0]",
    ),
    "an evaluation that gives back a weight, transposed": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, model.weight.T",
    ),
    "an evaluation that gives back what it was passed, negated": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, -rows",
    ),
    "an evaluation that keeps a weight, doubled, in an object": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "meter.last = model.weight * 2",
    ),
    "an evaluation that adds a weight to what it was passed": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "rows += model.weight",
    ),
    "an evaluation that writes a weight into what it was passed": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "rows[:] = model.weight",
    ),
    "an evaluation that writes a weight into what it was passed by a method": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "rows.copy_(model.weight)",
    ),
    "an evaluation that gives back what a function makes of a weight": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, doubled(model)",
    ),
    "an evaluation that has a function keep what it makes of a weight": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "keep(meter, model)",
    ),
    "an evaluation that has a function keep what the model gives": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "keep_scores(meter, batch)",
    ),
    "an evaluation that computes with numbers alone": (
        SAFE,
        "missing-no-grad",
        EVALUATION,
        "kept.append(-total)\n    return total / len(loader), 1 - best[0][0]",
    ),
    "an evaluation that has a function compute with numbers": (
        SAFE,
        "missing-no-grad",
        EVALUATION,
        "kept.append(rounded(total))",
    ),
    "an evaluation that reads numbers of a weight, doubled": (
        SAFE,
        "missing-no-grad",
        EVALUATION,
        "kept.append((model.weight * 2).sum().item())",
    ),
    "an evaluation that gives back a weight, in another shape": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, model.weight.view(-1)",
    ),
    "an evaluation that gives back what a rare function makes of a weight": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, torch.xlogy(model.weight, 2)",
    ),
    "an evaluation that gives back a sum of weights": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "pass\n    return total, sum(model.weight)",
    ),
    "an evaluation that keeps labels": (
        SAFE,
        "missing-no-grad",
        EVALUATION,
        "kept.append(batch['labels'])\n    return total",
    ),
    "an evaluation that has a function compute with what the model gives": (
        SAFE,
        "missing-no-grad",
        EVALUATION,
        "total += mean_of(scores).item()",
    ),
    "an evaluation in a program with an encoder that is faster without gradients": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION.replace("other =", "encoder = torch.nn.TransformerEncoderLayer(3, 1)\nother ="),
        "pass",
    ),
    "an evaluation in a program that asks whether gradients are recorded": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION.replace("values.view(-1)", "values if torch.is_grad_enabled() else -values"),
        "pass",
    ),
    "an evaluation that has a function keep what it is passed": (
        UNSAFE,
        "missing-no-grad",
        EVALUATION,
        "remember(meter, value=scores)",
    ),
    "tokens with their mask": (UNSAFE, "padding-to-maximum", PADDED, "**encoded"),
    "tokens and a mask, each by name": (
        UNSAFE,
        "padding-to-maximum",
        PADDED,
        "encoded.input_ids, encoded['attention_mask']",
    ),
    "tokens without their mask": (NONE, "padding-to-maximum", PADDED, "encoded['input_ids']"),
    "tokens without their mask, moved": (
        NONE,
        "padding-to-maximum",
        PADDED,
        "encoded.to('cuda').input_ids",
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
    "weights that are loaded into a model that is built as often": (
        NONE,
        "model-per-turn",
        MODELS,
        (
            f"{BUILT}net = torch.nn.Linear(4, 1)\n"
            "        net.load_state_dict(torch.load('a.pt'))\n"
            "        return net(row)"
        ),
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
    "losses of which the sum is read": (SAFE, "kept-history", KEPT, "total = sum(losses).item()"),
    "losses that are asked for their gradients": (
        UNSAFE,
        "kept-history",
        KEPT,
        "total = losses[0].grad",
    ),
    "losses of which one is looked for": (
        UNSAFE,
        "kept-history",
        KEPT,
        "total = losses[0] is losses[-1]",
    ),
    "losses of which it is asked whether there is one": (
        SAFE,
        "kept-history",
        KEPT,
        "total = losses[0] is not None",
    ),
    "predictions for many rows of few numbers": (UNSAFE, "predict-batch-size", ROWS, ""),
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


@pytest.mark.parametrize(("scale", "expected"), [("2.0", SAFE), ("tf.Variable(2.0)", UNSAFE)])
def test_a_batch_is_made_ahead_safely_where_no_step_can_change_it(
    scale: str, expected: str
) -> None:
    text = f"""\
import tensorflow as tf

scale = {scale}
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def step(images):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(images) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


def read(name):
    image = tf.io.decode_jpeg(tf.io.read_file(name))
    return tf.image.resize(image, (64, 64)) * scale


def train(names):
    images = tf.data.Dataset.list_files(names).map(read).batch(32)
    for _ in range(10):
        for batch in images:
            step(batch)
"""
    versions = {"tensorflow": "2.4"}
    options = Options(select=("missing-prefetch",), level=Level.NOTE, framework_versions=versions)

    fixes = [finding.fix for finding in check_text(text, options).findings]

    assert [fix.safety.value for fix in fixes if fix] == [expected]


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


def test_copies_left_out_leave_no_variable_that_is_set_to_itself() -> None:
    text = """\
import tensorflow as tf


def build(grid: tf.Tensor):
    grid = tf.expand_dims(grid, 2)
    grid = tf.tile(grid, [1, 1, 9, 1])
    return grid + tf.zeros((5, 4, 9, 2))
"""
    options = Options(select=("tile-instead-of-broadcast",), level=Level.NOTE)

    fixed = fix_text(text, lambda now: check_text(now, options).findings, Safety.UNSAFE).text

    assert fixed == text.replace("    grid = tf.tile(grid, [1, 1, 9, 1])\n", "")
