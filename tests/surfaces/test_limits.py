"""`@pytest.mark.deepperf`: a test that exceeds a limit fails and names the line."""

from __future__ import annotations

import importlib.util

import pytest

from deepperf.config.options import WrongUse
from deepperf.surfaces.testing.limits import bytes_of, limits_of

pytest_plugins = ["pytester"]


PROGRAM = """\
import jax
import jax.numpy as jnp
import pytest
import torch

KEPT = []
model = torch.nn.Linear(4, 1)


@jax.jit
def double(x):
    return 2 * x


@pytest.mark.deepperf(no_host_sync=True)
def test_waits():
    total = 0.0
    for row in torch.rand(3, 4):
        total += model(row).item()


@pytest.mark.deepperf(no_host_sync=True, max_growth="1 MB", max_forwards_per_sample=1)
def test_is_well():
    losses = [model(rows).sum() for rows in torch.rand(3, 2, 4)]
    assert len(losses) == 3


@pytest.mark.deepperf(max_forwards_per_sample=1)
def test_runs_twice():
    rows = torch.rand(8, 4)
    model(rows)
    model(rows)


@pytest.mark.deepperf(max_growth="1 MB")
def test_keeps():
    KEPT.append(torch.zeros(1_000_000))


@pytest.mark.deepperf(max_compilations=1, no_graph_breaks=True)
def test_compiles():
    @torch.compile(backend="eager")
    def step(x, times):
        return x * times

    for times in (2, torch.rand(3), 3.5):
        step(torch.rand(3), times)


@pytest.mark.deepperf(no_graph_breaks=True)
def test_breaks():
    @torch.compile(backend="eager")
    def step(x):
        x = x * 2
        print("half way")
        return x + 1

    step(torch.rand(3))


@pytest.mark.deepperf(max_compilations=1)
def test_jax_compiles():
    for size in range(1, 4):
        double(jnp.ones(size))


@pytest.mark.deepperf(no_host_sync=True)
def test_jax_waits():
    float(double(jnp.ones(3)).sum())


@pytest.mark.deepperf(max_compilation=1)
def test_is_misspelt():
    pass
"""


FRAMEWORKS = all(importlib.util.find_spec(name) is not None for name in ("torch", "jax"))


@pytest.mark.skipif(not FRAMEWORKS, reason="torch or jax is not installed")
def test_a_test_beyond_its_limits_fails_and_names_the_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_it=PROGRAM)
    # In this process it would take modules away again that `torch` imports while it runs.
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--show-capture=no")
    result.assert_outcomes(failed=8, passed=1)
    said = result.stdout.str()
    for expected in (
        "the host waits for a device 3 times (no_host_sync):\n    test_it.py:19 in test_waits",
        "a model runs 2 times per sample, 1 allowed (max_forwards_per_sample):",
        "test_it.py:31 in test_runs_twice",
        "MB are still held after the test, 1 MB allowed (max_growth):",
        "    test_it.py:37\n",
        "3 are compiled, 1 allowed (max_compilations):\n    test_it.py:42 in step",
        "a graph breaks once (no_graph_breaks):\n    test_it.py:55 in step",
        "3 are compiled, 1 allowed (max_compilations):\n    test_it.py:64 in test_jax_compiles",
        "the host waits for a device once (no_host_sync):\n    test_it.py:69 in test_jax_waits",
        "there is no limit 'max_compilation'; did you mean 'max_compilations'",
    ):
        assert expected in said


@pytest.mark.parametrize(
    ("size", "expected"), [("1 MB", 1e6), ("2KiB", 2048), (5, 5), ("0.5 GB", 5e8)]
)
def test_a_size_is_read(size: str | int, expected: float) -> None:
    assert bytes_of(size) == expected


def test_what_is_no_limit_is_said() -> None:
    with pytest.raises(WrongUse, match="no size such as '1 MB'"):
        limits_of({"max_growth": "1 megabyte"})
