"""Steps are counted without marks of the user's; what is imported is no part of the work."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.dynamic.watched import needs

from deepperf.dynamic.recorded import read_recording
from deepperf.dynamic.recording.trace import Trace

TORCH = """
import torch

generator, critic = torch.nn.Linear(4, 4), torch.nn.Linear(4, 1)
optimizers = [torch.optim.SGD(part.parameters(), lr=0.01) for part in (generator, critic)]
for _ in range(40):
    for optimizer in optimizers:
        optimizer.zero_grad()
        critic(generator(torch.ones(2, 4))).sum().backward()
        optimizer.step()
"""

FIT = """
import keras, numpy as np

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
x = np.ones((80, 4), "float32")
model.fit(x, x[:, :1], batch_size=4, epochs=2, verbose=0)
model.evaluate(x, x[:, :1], batch_size=8, verbose=0)
"""

CUSTOM = """
import tensorflow as tf

weights = tf.Variable(tf.ones((4, 1)))
optimizer = tf.keras.optimizers.SGD(0.01)

def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(x @ weights)
    optimizer.apply_gradients(zip(tape.gradient(loss, [weights]), [weights]))
    return loss

@tf.function
def preprocessed(x):
    return x * 2.0

STEP
for _ in range(40):
    for _ in range(3):
        x = preprocessed(tf.ones((2, 4)))
    step(x)
"""

SESSION = """
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
weights = tf.get_variable("weights", (4, 1))
loss = tf.reduce_sum(tf.ones((2, 4)) @ weights)
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(39):
        session.run(train)
"""

JAX = """
import jax
import jax.numpy as jnp

@jax.jit
def scaled(x):
    return x * 2.0

@jax.jit
def step(parameters, x):
    loss = lambda given: jnp.sum(x @ given["w"] + given["b"])
    gradients = jax.grad(loss)(parameters)
    return jax.tree.map(lambda a, g: a - 0.01 * g, parameters, gradients), loss(parameters)

parameters = {"w": jnp.ones((4, 1)), "b": jnp.zeros(1)}
jax.nn.softmax(jnp.ones(3))
for _ in range(41):
    for _ in range(3):
        x = scaled(jnp.ones((2, 4)))
    parameters, loss = step(parameters, x)
"""


def traced(folder: Path, text: str) -> Trace:
    (folder / "program.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "deepperf", "run", "--record", "t.dperf", "program.py"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=170
    )
    assert ran.returncode == 0, ran.stderr
    (folder / "out.txt").write_text(ran.stdout, encoding="utf-8")
    return read_recording(folder / "t.dperf").trace


@pytest.mark.parametrize(
    ("framework", "text"),
    [
        ("torch", TORCH),
        ("keras", FIT),
        ("tensorflow", CUSTOM.replace("STEP", "step = tf.function(step)")),
        pytest.param("tensorflow", CUSTOM.replace("STEP", ""), marks=pytest.mark.weekly),
        ("tensorflow", SESSION),
        ("jax", JAX),
    ],
    ids=["torch", "fit", "function", "eager", "session", "jax"],
)
def test_each_training_step_is_counted_once(tmp_path: Path, framework: str, text: str) -> None:
    needs(framework)
    trace = traced(tmp_path, text)
    assert trace.problems == ()
    clock = trace.clock
    assert clock is not None
    assert clock.count == 40
    assert 0 < clock.first < clock.last <= trace.seconds
    counts = [steps for steps, _, _, _ in clock.points]
    assert counts == list(range(1, 41))
    assert all(held > 10_000_000 for _, _, _, held in clock.points)


@pytest.mark.parametrize("context", ["jax.debug_nans(True)", "contextlib.nullcontext()"])
def test_jax_goes_on_looking_for_nans_as_it_would(tmp_path: Path, context: str) -> None:
    needs("jax")
    text = f"""
import contextlib
import jax
import jax.numpy as jnp

def tell(what):
    try:
        inverse(jnp.zeros(2))
        print(what, "passes")
    except FloatingPointError:
        print(what, "raises")

inverse = jax.jit(lambda x: 0.0 / x)
inverse(jnp.ones(2))
tell("by default")
with {context}:
    tell("in the context")
jax.config.update("jax_debug_nans", True)
tell("when set")
"""
    assert traced(tmp_path, text).problems == ()
    alone = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "raises" in alone.stdout
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == alone.stdout


def test_a_timeline_stays_short_and_keeps_the_longest_step(tmp_path: Path) -> None:
    needs("torch")
    text = """
import time, torch

weights = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weights], lr=0.1)
for number in range(4000):
    if number == 3001:
        time.sleep(0.3)
    optimizer.step()
"""
    clock = traced(tmp_path, text).clock
    assert clock is not None
    assert clock.count == 4000
    assert 200 < len(clock.points) <= 512
    around = max(clock.points, key=lambda point: point[2])
    assert around[2] > 0.3
    assert 3002 <= around[0] < 3002 + 32


def test_what_packages_take_to_be_imported_is_no_part_of_the_work(tmp_path: Path) -> None:
    installed = tmp_path / "site-packages"
    (installed / "slow").mkdir(parents=True)
    (installed / "slow" / "__init__.py").write_text(
        "import time\nfrom slow import inner\ntime.sleep(0.5)\n", encoding="utf-8"
    )
    (installed / "slow" / "inner.py").write_text("import time; time.sleep(0.5)\n", encoding="utf-8")
    (tmp_path / "own.py").write_text(
        "import time\nimport slow\nstart = time.perf_counter()\n"
        "while time.perf_counter() - start < 0.5:\n    pass\n",
        encoding="utf-8",
    )
    trace = traced(tmp_path, "import sys\nsys.path.insert(0, 'site-packages')\nimport own\n")
    assert trace.importing >= 1.0
    assert 0.5 <= trace.work_seconds <= trace.seconds - 1.0
    # Looks that fell into the imports, which take twice as long as the work, would be far more.
    assert trace.sampled * trace.interval < trace.work_seconds + trace.importing / 2
    assert {Path(seen.file).name for seen in trace.samples} == {"own.py", "program.py"}
