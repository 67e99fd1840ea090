"""Whether a run of a model does work worth sparing."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls

from deepperf.semantics.forwards.work import does_work

MODEL = """
import torch
from torch import nn
from torch.nn import functional as F


class Model(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.act = nn.ReLU()
        self.embedding = nn.Embedding(8, 8)
        self.layers = nn.Sequential(nn.ReLU(), nn.Conv2d(3, 3, 3))
        self.acts = nn.Sequential(nn.ReLU(), nn.Flatten())
        self.weight = nn.Parameter(torch.ones(8, 8))
        self.part = part

    def forward(self, x):
        return {body}


def main(x):
    model = Model(load())
    return model(x)
"""
WORK = {
    "a layer multiplies": "self.act(self.linear(x))",
    "a layer inside of another convolves": "self.layers(x)",
    "an operator multiplies": "x @ self.weight",
    "a function multiplies": "torch.matmul(x, self.weight)",
    "it attends": "F.scaled_dot_product_attention(x, x, x)",
}
NO_WORK = {
    "it looks up": "self.embedding(x)",
    "it goes over numbers": "self.acts(self.act(x)).exp().mean() + torch.round(x)",
    "it indexes": "self.weight[torch.round(x * 8).long()]",
}
UNKNOWN = {
    "a part is passed in": "self.act(self.part(x))",
    "a function may do anything": "self.act(compute(x))",
    "a function of a library may": "F.bilinear(x, x, self.weight)",
}


def _works(body: str) -> bool | None:
    call = calls(MODEL.replace("{body}", body), "model")[0]
    return does_work(call.program, call.place)


@pytest.mark.parametrize("body", WORK.values(), ids=WORK)
def test_a_model_works(body: str) -> None:
    assert _works(body) is True


@pytest.mark.parametrize("body", NO_WORK.values(), ids=NO_WORK)
def test_a_model_does_no_work(body: str) -> None:
    assert _works(body) is False


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN)
def test_it_is_not_known(body: str) -> None:
    assert _works(body) is None


def test_a_base_class_that_gives_nothing_says_nothing() -> None:
    text = MODEL.replace("return {body}", "raise NotImplementedError")
    call = calls(text, "model")[0]
    assert does_work(call.program, call.place) is None


def test_of_two_models_both_have_to_work() -> None:
    text = MODEL.replace("{body}", "self.linear(x)").replace(
        "model = Model(load())", "model = Model(load()) if x.ndim else nn.ReLU()"
    )
    call = calls(text, "model")[0]
    assert does_work(call.program, call.place) is False
