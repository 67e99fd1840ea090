"""A program computes the same under `deepperf run`, to the last bit, and compiles as often."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.dynamic.watched import needs

TENSORFLOW = """
import tensorflow as tf

tf.keras.utils.set_random_seed(1)
data = tf.data.Dataset.from_tensor_slices(tf.random.normal((64, 8), seed=2)).shuffle(64, seed=3)
data = data.map(lambda row: row * 2.0).batch(12).repeat(4)
model = tf.keras.Sequential([tf.keras.layers.Dense(8, "relu"), tf.keras.layers.Dropout(0.3)])
optimizer = tf.keras.optimizers.Adam(0.01)

def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - x))
    variables = model.trainable_variables
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
    return loss

model(tf.ones((1, 8)))
optimizer.build(model.trainable_variables)
compiled = tf.function(step)
for number, x in enumerate(data):
    print(float(compiled(x) if number % 2 else step(x)).hex())
    for row in range(4):
        print(float(tf.reduce_sum(x[row] * tf.random.uniform((), seed=5))).hex())
print(compiled.experimental_get_tracing_count())
"""

SESSION = """
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.set_random_seed(1)
x = tf.random_normal((8, 4), seed=2)
weights = tf.get_variable("weights", (4, 1), initializer=tf.ones_initializer())
loss = tf.reduce_mean(tf.square(tf.nn.dropout(x, rate=0.2, seed=4) @ weights))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(30):
        print(float(session.run([loss, train])[0]).hex())
        session.run(tf.reduce_sum(weights))
print(len(tf.get_default_graph().get_operations()))
"""

KERAS = """
import keras
import numpy as np

keras.utils.set_random_seed(1)
traced = []

class Noisy(keras.layers.Layer):
    def call(self, x):
        traced.append(str(x.shape))
        return x * 2.0

x = np.random.default_rng(0).standard_normal((70, 8), dtype="float32")
layers = [Noisy(), keras.layers.Dense(8, activation="relu"), keras.layers.Dropout(0.3)]
model = keras.Sequential([keras.Input((8,)), *layers])
model.compile(optimizer="adam", loss="mse", metrics=["mae"])
tell = keras.callbacks.LambdaCallback(
    on_train_batch_end=lambda batch, logs: print(batch, float(logs["loss"]).hex())
)
history = model.fit(x, x, batch_size=16, epochs=4, verbose=0, callbacks=[tell])
print([float(loss).hex() for loss in history.history["loss"]])
print(float(model.predict(x, verbose=0).sum()).hex())
print(float(model.train_on_batch(x, x)[0]).hex(), float(model.evaluate(x, x, verbose=0)[0]).hex())
print(traced)
"""

TORCH = """
import torch
from torch import nn

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(0.3), nn.BatchNorm1d(16))
model.append(nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
data = torch.utils.data.TensorDataset(torch.randn(70, 8), torch.randint(0, 2, (70,)))
loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=True, num_workers=WORKERS)
for epoch in range(3):
    for inputs, targets in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(loss.item().hex(), float(norm).hex(), bool(norm > 1.0), targets.tolist())
        for row in inputs[:8]:
            print(float(row.sum() * torch.rand(())).hex())
    schedule.step()
print(float(sum(part.sum() for part in model.state_dict().values())).hex())
"""

COMPILED = """
import torch
from torch import nn
from torch._dynamo.utils import counters, get_compilation_metrics

torch.manual_seed(1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(20):
    optimizer.zero_grad()
    warm = model(torch.randn(4, 8)).pow(2).mean()
    warm.backward()
    optimizer.step()
    print(warm.item().hex())

@torch.compile(backend=BACKEND)
def objective(inputs, bound):
    loss = model(inputs).pow(2).mean()
    if loss.item() > bound:
        loss = loss * 0.5
    return loss, float(inputs.sum().cpu()), inputs[0].tolist()

@torch.compile(backend=BACKEND)
def update():
    optimizer.step()

for number in range(12):
    optimizer.zero_grad()
    loss, total, row = objective(torch.randn(4 + number // 6, 8), 0.1 * number)
    loss.backward()
    update()
    print(loss.item().hex(), total.hex(), row[0].hex())
print(sorted(counters["stats"].items()), sum(counters["graph_break"].values()))
print(sorted(str(metrics.co_name) for metrics in get_compilation_metrics()))
"""

# C++ compilers take seconds for each graph: here only the model's own, for one size of batch.
INDUCTED = (
    COMPILED.replace("BACKEND", "'inductor'")
    .replace("@torch.compile(backend='inductor')\ndef update", "def update")
    .replace("4 + number // 6", "4")
)

JAX = """
import jax
import jax.numpy as jnp

@jax.jit
def step(parameters, x, key):
    def loss_of(given):
        kept = jax.random.bernoulli(key, 0.7, x.shape)
        return jnp.mean((jnp.where(kept, x, 0.0) @ given["w"] + given["b"]) ** 2)

    loss, gradients = jax.value_and_grad(loss_of)(parameters)
    return jax.tree.map(lambda a, g: a - 0.1 * g, parameters, gradients), loss

key = jax.random.key(1)
parameters = {"w": jax.random.normal(key, (8, 1)), "b": jnp.zeros(1)}
for number in range(30):
    key, one, other = jax.random.split(key, 3)
    x = jax.random.normal(one, (16 + number // 10, 8))
    parameters, loss = step(parameters, x, other)
    print(float(loss).hex(), float(jax.nn.softmax(x[0])[0]).hex())
print(step._cache_size())
"""


def printed(folder: Path, *words: str) -> str:
    environment = {
        **os.environ,
        "OMP_NUM_THREADS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "compiled"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
    }
    ran = subprocess.run(
        [sys.executable, *words, "program.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    assert "Not all could be seen" not in ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    ("framework", "text"),
    [
        pytest.param("tensorflow", TENSORFLOW, id="tensorflow", marks=pytest.mark.weekly),
        pytest.param("tensorflow", SESSION, id="session", marks=pytest.mark.weekly),
        pytest.param("keras", KERAS, id="keras"),
        pytest.param("torch", TORCH.replace("WORKERS", "0"), id="torch", marks=pytest.mark.weekly),
        pytest.param("torch", TORCH.replace("WORKERS", "2"), id="torch-workers"),
        pytest.param("torch", COMPILED.replace("BACKEND", "'eager'"), id="compiled-eager"),
        pytest.param(
            "torch",
            INDUCTED,
            id="compiled",
            marks=[
                pytest.mark.skipif(shutil.which("g++") is None, reason="needs a compiler of C++"),
                pytest.mark.weekly,
            ],
        ),
        pytest.param("jax", JAX, id="jax"),
    ],
)
def test_a_training_gives_the_same_bit_for_bit(tmp_path: Path, framework: str, text: str) -> None:
    needs(framework)
    (tmp_path / "program.py").write_text(text, encoding="utf-8")
    if "inductor" in text:
        # A first compilation traces patterns of the compiler's own, too, and keeps what it made.
        printed(tmp_path)
    alone = printed(tmp_path)
    assert alone.count("0x") >= 16
    assert printed(tmp_path, "-m", "deepperf", "run") == alone
