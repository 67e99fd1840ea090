"""Where gradients are recorded, and which values keep the graph that they are computed from."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls, probed

MODEL = "import torch\nfrom torch import nn\nmodel = nn.Linear(3, 2)\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x):\n    probe(x)", False),
        ("def f(x):\n    with torch.no_grad():\n        probe(x)", True),
        ("@torch.inference_mode()\ndef f(x):\n    probe(x)", True),
        ("@torch.no_grad\ndef f(x):\n    probe(x)", True),
        ("def f(x):\n    probe(x)\n\nwith torch.no_grad():\n    f(1)", True),
        ("def f(x):\n    probe(x)\n\nf(2)\nwith torch.no_grad():\n    f(1)", False),
        ("torch.set_grad_enabled(False)\ndef f(x):\n    probe(x)", True),
        ("def f(x, on):\n    with torch.set_grad_enabled(on):\n        probe(x)", True),
    ],
)
def test_gradients_are_recorded_where_nothing_turns_them_off(text: str, expected: object) -> None:
    (call,) = calls(MODEL + text, "probe")
    assert call.is_gradient_free is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("probe(model(x))", True),
        ("probe(model(x).mean() * 2)", True),
        ("probe(torch.stack([model(x), y]))", True),
        ("probe(model(x).detach())", False),
        ("probe(model(x).argmax(1))", False),
        ("probe(float(model(x)))", False),
        ("probe(model(x) > 0)", False),
        ("with torch.no_grad():\n    y = model(x)\nprobe(y)", False),
        ("def f(x):\n    return model(x), 1\ny, n = f(2)\nprobe(y)", True),
        ("def f(x):\n    return model(x), 1\ny, n = f(2)\nprobe(n)", False),
        ("y = g(x)\nprobe(y)\ny.backward()", True),
        ("probe(x)", False),
    ],
)
def test_a_value_keeps_its_graph_until_it_is_cut(text: str, expected: object) -> None:
    (value,) = probed(MODEL + text)
    assert value.carries_graph is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x):\n    probe(x)", False),
        ("def f(x):\n    probe(x)\n\nf(1)", True),
        ("def f(x):\n    probe(x)\n\nwith torch.no_grad():\n    f(1)", False),
        ("def f(x):\n    probe(x)\n\ndef g(x):\n    f(x)", False),
        ("def f(x):\n    probe(x)\n\ndef g(x):\n    f(x)\n    x.sum().backward()", True),
        ("class A(nn.Module):\n    def forward(self, x):\n        probe(x)", False),
    ],
)
def test_gradients_are_seen_to_be_recorded_where_the_program_starts_it(
    text: str, expected: object
) -> None:
    (call,) = calls(MODEL + text, "probe")
    assert call.is_recorded is expected


TRAINING = "def train(xs):\n    for x in xs:\n        f(x).backward()\n        {}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TRAINING.format("probe(x)"), True),
        (TRAINING.format("for p in model.parameters(): g(p)") + "def g(p):\n    probe(p)", True),
        (TRAINING.format("with torch.no_grad(): probe(x)"), False),
        (TRAINING.format("pass") + "    probe(x)", False),
        ("class A(nn.Module):\n    def forward(self, x):\n        probe(x)", False),
    ],
)
def test_a_training_step_is_seen_to_come_to_it(text: str, expected: object) -> None:
    (call,) = calls(MODEL + text, "probe")
    assert call.is_in_training_step is expected


CLASSES = """
import torch
from torch import nn
import zoo

class Learns(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 2), nn.ReLU())

class Reads(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.path = path

class Taken(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = zoo.make()

class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 2)
        for one in self.parameters():
            one.requires_grad = False

class Around(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = {}
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("nn.Linear(3, 2)", True),
        ("nn.Sequential(nn.Linear(3, 2))", True),
        ("nn.CrossEntropyLoss()", False),
        ("Learns()", True),
        ("Learns().eval()", True),
        ("Reads('x')", False),
        ("Taken()", False),
        ("Frozen()", False),
    ],
)
def test_a_model_is_seen_to_learn_where_it_keeps_layers(made: str, expected: object) -> None:
    (call,) = calls(CLASSES.replace("{}", "net") + f"model = {made}\nmodel(x)\n", "model")
    assert call.is_seen_to_learn is expected


@pytest.mark.parametrize(("inner", "expected"), [("Learns()", True), ("Frozen()", False)])
def test_a_model_learns_as_its_parts_do(inner: str, expected: object) -> None:
    text = CLASSES.replace("{}", inner) + "model = Around(1)\nmodel(x)\n"
    (call,) = calls(text, "model")
    assert call.is_seen_to_learn is expected
