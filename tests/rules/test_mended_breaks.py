"""What the fix of `graph-break` writes for a branch and for what is printed."""

from __future__ import annotations

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.fixes.apply import fix_text
from deepperf.records import Level, Safety

BROKEN = """\
import torch


def clean(x):
    if torch.isnan(x).any():
        x = torch.nan_to_num(x)
    print("cleaned", x)
    return torch.sin(x) if x.sum() > 0 else torch.cos(x)


fast = torch.compile(clean)
"""
WHOLE = """\
import torch


def clean(x):
    x = torch.where(torch.isnan(x).any(), torch.nan_to_num(x), x)
    if not torch.compiler.is_compiling():
        print("cleaned", x)
    return torch.where(x.sum() > 0, torch.sin(x), torch.cos(x))


fast = torch.compile(clean)
"""


def mended(text: str, safety: Safety) -> str:
    options = Options(select=("graph-break",), level=Level.NOTE)
    return fix_text(text, lambda now: check_text(now, options).findings, safety).text


def test_branches_are_chosen_and_printing_is_left_out_where_it_is_compiled() -> None:
    assert mended(BROKEN, Safety.UNSAFE) == WHOLE
    assert mended(BROKEN, Safety.SAFE) == BROKEN


def test_an_arm_that_may_have_effects_is_left_alone() -> None:
    text = BROKEN.replace("torch.nan_to_num(x)", "log(x)").replace("torch.sin(x)", "model(x)")
    rest = WHOLE.replace(
        "x = torch.where(torch.isnan(x).any(), torch.nan_to_num(x), x)",
        "if torch.isnan(x).any():\n        x = log(x)",
    ).replace(
        "torch.where(x.sum() > 0, torch.sin(x), torch.cos(x))",
        "model(x) if x.sum() > 0 else torch.cos(x)",
    )
    assert mended(text, Safety.UNSAFE) == rest


GATED = """\
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Linear(width, 1)
        self.dense = nn.Linear(width, width)
        self.sparse = nn.Linear(width, width)

    def forward(self, hidden):
        if self.gate(hidden).mean() > 0:
            hidden = self.dense(hidden)
        else:
            hidden = self.sparse(hidden)
        return hidden.relu()


model = torch.compile(Gated(8))
"""
RUN_ONE = "hidden = torch.cond(self.gate(hidden).mean() > 0, self.dense, self.sparse, (hidden,))"


def test_of_two_layers_of_one_shape_the_chosen_one_runs() -> None:
    fixed = mended(GATED, Safety.UNSAFE)
    assert f"    def forward(self, hidden):\n        {RUN_ONE}\n        return" in fixed
    assert mended(GATED, Safety.SAFE) == GATED


def test_layers_of_other_shapes_and_those_that_keep_state_or_draw_are_left_alone() -> None:
    for layer in ("nn.Linear(width, 2 * width)", "nn.Dropout(0.5)", "nn.BatchNorm1d(width)"):
        text = GATED.replace("self.sparse = nn.Linear(width, width)", f"self.sparse = {layer}")
        assert mended(text, Safety.UNSAFE) == text
    both = GATED.replace("nn.Linear(width, width)", "nn.Dropout(0.5)")
    assert mended(both, Safety.UNSAFE) == both


ARMS = """\
import torch
from torch import nn


class Gate(nn.Module):
    limit = 4.0

    def __init__(self, width):
        super().__init__()
        self.near = nn.Linear(width, width)
        self.far = nn.Linear(width, width)

    def is_large(self, x):
        return x.abs().max() > self.limit

    def forward(self, x):
        if self.is_large(x):
            x = torch.tanh(self.near(x)) * 2.0
        else:
            x = torch.sigmoid(self.far(x))
        return x


model = torch.compile(Gate(8))
"""
LAMBDAS = (
    "x = torch.cond(self.is_large(x), lambda x: torch.tanh(self.near(x)) * 2.0,"
    " lambda x: torch.sigmoid(self.far(x)), (x,))"
)


def test_a_test_that_a_method_computes_chooses_between_what_is_computed_of_two_layers() -> None:
    fixed = mended(ARMS, Safety.UNSAFE)
    assert f"    def forward(self, x):\n        {LAMBDAS}\n        return x" in fixed
    assert mended(ARMS, Safety.SAFE) == ARMS


def test_arms_that_give_other_shapes_or_types_or_read_more_are_left_alone() -> None:
    for old, new in (
        ("self.far(x))", "self.far(x) + bias)"),
        ("torch.sigmoid(self.far(x))", "self.far(x) > 0"),
        ("torch.sigmoid(self.far(x))", "self.far(x).half()"),
        ("torch.sigmoid(self.far(x))", "self.far(x).sum()"),
        ("torch.sigmoid(self.far(x))", "torch.sigmoid(self.far(self.near(x)))"),
        ("torch.sigmoid(self.far(x))", "torch.sigmoid(self.far(x[:, 1:]))"),
        ("self.far = nn.Linear(width, width)", "self.far = nn.Linear(width, 1)"),
    ):
        text = ARMS.replace(old, new)
        assert mended(text, Safety.UNSAFE) == text


LOGGING = """\
import logging

import torch

logger = logging.getLogger(__name__)


@torch.compile
def step(x, scale):
    y = torch.sin(x) * scale
    logger.info("mean %s of %s", y.mean(), x.shape)
    return y


def run(batches, factor):
    found = []
    for batch in batches:
        out = step(batch, factor)
        found.append(out)
    return found
"""


def test_what_is_logged_last_is_logged_behind_the_only_call() -> None:
    line = '    logger.info("mean %s of %s", y.mean(), x.shape)\n'
    call = "        out = step(batch, factor)\n"
    behind = '        logger.info("mean %s of %s", out.mean(), batch.shape)\n'
    expected = LOGGING.replace(line, "").replace(call, call + behind)
    assert mended(LOGGING, Safety.UNSAFE) == expected


def test_with_two_callers_it_is_left_out_where_it_is_compiled() -> None:
    text = LOGGING + "\n\ndef once(x):\n    y = step(x, 1.0)\n    return y\n"
    fixed = mended(text, Safety.UNSAFE)
    assert "    if not torch.compiler.is_compiling():\n        logger.info(" in fixed
    assert fixed.count("logger.info") == 1
