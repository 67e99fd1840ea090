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
