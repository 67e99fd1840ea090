"""TorchFix with all its rules. It is made for PyTorch: other programs are not applicable."""

from __future__ import annotations

from deepperf.bench.assess.linters import Linter, approach_of

approach = approach_of(
    Linter(
        name="torchfix",
        title="TorchFix",
        options=("--select=ALL", "-j", "1"),
        about={"TOR401": frozenset({"serial-loader", "missing-workers"})},
        packages=("torch",),
    )
)
