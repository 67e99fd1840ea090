"""What Hybridize-Functions refuses to compile, or to leave to Python, gets no fix or an unsafe one.

Its refusals (MSR 2022 and the tool after it) in plain words, each with a step that has just this.
"""

from __future__ import annotations

import pytest
from benchmarks.compilers import likeness, seen

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety

STEP = """\
import numpy as np
import tensorflow as tf

tf.random.set_seed(1)
layer = tf.keras.layers.Dense(1, kernel_initializer="ones")
model = tf.keras.Sequential([tf.keras.layers.Dense(8, kernel_initializer="ones"), layer])
optimizer = tf.keras.optimizers.SGD(0.001)
seen = []


def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


def train(dataset):
    losses = []
    for x, y in dataset:
        losses.append(train_step(x, y))
    return losses


def main():
    x = tf.reshape(tf.range(800.0) / 800.0, (100, 8))
    return train(tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(4))


if __name__ == "__main__":
    main()
"""
TAPE = "    with tf.Grad"
RETURN = "    return loss\n"
CALL = "train_step(x, y))\n"
HEAD = "def train_step(x, y):"
LOSS = "(model(x) - y) ** 2"
HALVED = "def halved(x, n):\n    return x if n == 0 else halved(x / 2, n - 1)"
OUTER = "@tf.function\ndef outer(x, y):\n    return train_step(x, y)"
SYMBOLS = "tf.keras.Input((8,)), tf.keras.Input((1,))"
IMPORT = "import numpy as np\n"


def imported(name: str) -> tuple[str, str]:
    return IMPORT, f"from somewhere import {name}\n{IMPORT}"


NONE, UNSAFE, SILENT = "no fix", "an unsafe fix", "no finding"
REFUSED: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "a construct that is not handled: a generator": (NONE, ((RETURN, "    yield loss\n"),)),
    "a construct that is not handled: a decorator that nobody knows": (
        SILENT,
        (("def train_step", "@logged\ndef train_step"), imported("logged")),
    ),
    "side effects that can't be determined": (
        UNSAFE,
        ((RETURN, f"    report(loss)\n{RETURN}"), imported("report")),
    ),
    "a Python side effect: it prints": (NONE, ((RETURN, f"    print(loss)\n{RETURN}"),)),
    "a Python side effect: a list of others": (
        NONE,
        ((RETURN, f"    seen.append(loss)\n{RETURN}"),),
    ),
    "a Python side effect: a global": (NONE, ((TAPE, f"    global seen\n    seen = x\n{TAPE}"),)),
    "a Python side effect: an attribute of others": (
        NONE,
        ((RETURN, f"    model.steps = 1\n{RETURN}"),),
    ),
    "a Python side effect: a number drawn": (
        NONE,
        (("model(x) - y", "model(x + np.random.rand()) - y"),),
    ),
    "a Python side effect: an iterator": (
        NONE,
        ((TAPE, f"    rate = next(rates)\n{TAPE}"), ("seen = []", "seen = []\nrates = iter(seen)")),
    ),
    "a Python side effect: variables made in it": (
        NONE,
        ((TAPE, f"    scale = tf.Variable(1.0)\n{TAPE}"),),
    ),
    "no tensor parameter": (
        NONE,
        (
            (HEAD, "def train_step():\n    x, y = tf.ones((4, 8)), tf.ones((4, 1))"),
            (CALL, "train_step())\n"),
        ),
    ),
    "it calls itself": (
        NONE,
        ((RETURN, "    return train_step(x, y) if loss > 10 else loss\n"),),
    ),
    "a helper calls itself": (
        NONE,
        (
            ("def train_step", f"{HALVED}\n\n\ndef train_step"),
            ("model(x) - y", "model(halved(x, 3)) - y"),
        ),
    ),
    "whether it calls itself is not known": (
        UNSAFE,
        (("model(x) - y", "model(prepared(x, train_step)) - y"), imported("prepared")),
    ),
    "whether a parameter is a tensor is not known": (
        UNSAFE,
        (("for x, y in dataset", "for x, y in zip(*dataset)"),),
    ),
    "whether a parameter is a Python number is not known": (
        UNSAFE,
        (
            (HEAD, "def train_step(x, y, rate):"),
            (CALL, "train_step(x, y, schedule(x)))\n"),
            imported("schedule"),
        ),
    ),
    "a Python number among the parameters": (
        NONE,
        (
            (HEAD, "def train_step(x, y, k):"),
            ("for x, y in dataset", "for k, (x, y) in enumerate(dataset)"),
            (CALL, "train_step(x, y, k))\n"),
        ),
    ),
    "a text among the parameters": (
        NONE,
        (
            (HEAD, "def train_step(x, y, k):"),
            ("for x, y in dataset", "for k, (x, y) in enumerate(dataset)"),
            (CALL, "train_step(x, y, str(k)))\n"),
        ),
    ),
    "an eager-only call": (NONE, ((RETURN, "    return loss.numpy()\n"),)),
    "an eager-only call: a tensor made a number": (NONE, ((RETURN, "    return float(loss)\n"),)),
    "NumPy on a parameter": (NONE, (("model(x) - y", "model(np.sqrt(x)) - y"),)),
    "NumPy on what is computed from a parameter": (
        NONE,
        (("model(x) - y", "model(np.clip(x * 2, 0, 1)) - y"),),
    ),
    "a name that no graph takes": (NONE, ((LOSS, f"{LOSS}, name='my loss!'"),)),
    "a name that is not known": (NONE, ((LOSS, f"{LOSS}, name=str(y)"),)),
    "axes that Python reads": (
        UNSAFE,
        (("model(x) - y", "model(tf.reshape(x, (x.shape[0], 8))) - y"),),
    ),
    "variables read before the model's first call": (
        NONE,
        (
            (TAPE, f"    weights = model.trainable_variables\n{TAPE}"),
            ("(loss, model.trainable_variables)", "(loss, weights)"),
        ),
    ),
    "iteration of a tensor parameter": (
        NONE,
        ((TAPE, f"    for row in x:\n        y = y + tf.reduce_sum(row)\n{TAPE}"),),
    ),
    "iteration of a tensor parameter in a comprehension": (
        NONE,
        (("model(x) - y", "tf.concat([model(row[None]) for row in x], 0) - y"),),
    ),
    "callers that are compiled": (
        SILENT,
        (
            ("def train(", f"{OUTER}\n\n\ndef train("),
            (CALL, "outer(x, y))\n"),
        ),
    ),
    "types that are coerced in two ways": (
        UNSAFE,
        (("model(x) - y", "tf.cast(model(tf.cast(x, tf.float64)), tf.float32) - y"),),
    ),
    "Keras' symbols among the arguments": (
        NONE,
        (("    for x, y in dataset:", f"    x, y = {SYMBOLS}\n    for _ in range(1000):"),),
    ),
}


def changed(edits: tuple[tuple[str, str], ...]) -> str:
    text = STEP
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


def compiling(text: str) -> str:
    """What `check` offers for the step: nothing is told, no fix, or one that is unsafe."""
    found = check_text(text, Options(select=("eager-loop",), level=Level.NOTE)).findings
    if not found:
        return SILENT
    fixes = [one.fix for one in found if one.fix is not None]
    assert all(fix.safety is Safety.UNSAFE for fix in fixes)
    return UNSAFE if fixes else NONE


@pytest.mark.parametrize("refusal", REFUSED)
def test_a_step_gets_no_fix_or_an_unsafe_one_for(refusal: str) -> None:
    expected, edits = REFUSED[refusal]
    assert compiling(STEP) == UNSAFE
    assert compiling(changed(edits)) == expected


PLAIN = """\
import tensorflow as tf


@tf.function
def rate_of(step):
    return 0.1 / (1 + step)


def main(steps=100):
    return [rate_of(k) for k in range(steps)]


if __name__ == "__main__":
    main()
"""
LEFT_COMPILED = {
    "it has a tensor parameter": (
        ("rate_of(k) for k in range(steps)", "rate_of(k) for k in tf.range(steps)"),
    ),
    "no Python number is passed to it": (("rate_of(k)", "rate_of(tf.constant(k))"),),
    "whether a parameter is a Python number is not known": (
        ("def main(steps=100)", "def main(numbers)"),
        ("for k in range(steps)", "for k in numbers"),
    ),
    "it computes with tensors": (("0.1 / (1 + step)", "tf.exp(-0.1 * step)"),),
}


@pytest.mark.parametrize("refusal", LEFT_COMPILED)
def test_a_function_stays_compiled_where(refusal: str) -> None:
    options = Options(select=("compiled-without-tensors",), level=Level.NOTE, preview=True)
    assert any(one.fix for one in check_text(PLAIN, options).findings)
    text = PLAIN
    for old, new in LEFT_COMPILED[refusal]:
        assert old in text
        text = text.replace(old, new)
    assert not check_text(text, options).findings


def test_what_gets_a_fix_gives_the_same_with_it() -> None:
    pytest.importorskip("tensorflow")
    known = {
        name: changed(edits)
        for name, (expected, edits) in REFUSED.items()
        if expected == UNSAFE and "somewhere" not in str(edits) and "zip(" not in str(edits)
    }
    runs = known | {"the step itself": STEP}
    options = Options(select=("eager-loop",), level=Level.NOTE)
    sides = dict(runs)
    for name, text in runs.items():
        fixed = fix_text(text, lambda now: check_text(now, options).findings, Safety.UNSAFE).text
        assert "@tf.function\ndef train_step" in fixed, name
        sides[f"{name}, fixed"] = fixed
    done = seen("tensorflow", sides)["programs"]
    for name in runs:
        was, now = done[name], done[f"{name}, fixed"]
        assert likeness(was["result"], now["result"]) in ("equal", "close"), name
        assert now["compiled"] >= 1, name
