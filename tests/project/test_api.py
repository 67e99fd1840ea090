"""The public names, and that using them costs no framework and little time."""

from __future__ import annotations

import subprocess
import sys

import deepperf

PUBLIC = {"Options", "Report", "check_paths", "check_text"}


def test_public_names_are_offered() -> None:
    assert set(deepperf.__all__) - {"__version__"} >= PUBLIC
    assert all(hasattr(deepperf, name) for name in deepperf.__all__)


def test_a_text_can_be_checked() -> None:
    report = deepperf.check_text("value = 1\n", deepperf.Options())
    assert isinstance(report, deepperf.Report)
    assert (report.findings, report.failures) == ((), ())


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = {"tensorflow", "torch", "jax", "keras", "numpy", "scipy", "rich", "markdown_it"}
    assert modules_after("import deepperf") & heavy == set()


def test_checking_imports_no_framework() -> None:
    program = "import deepperf; deepperf.check_text('import tensorflow as tf', deepperf.Options())"
    frameworks = {"tensorflow", "torch", "jax", "keras", "numpy"}
    assert modules_after(program) & frameworks == set()


def modules_after(program: str) -> set[str]:
    """The names of the modules that a fresh interpreter holds after `program`."""
    answer = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(answer.stdout.split())
