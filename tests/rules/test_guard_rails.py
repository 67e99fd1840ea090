"""What is said with remedies about code that is compiled again, run as it is said."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest

from deepperf.check.run import check_text
from deepperf.config.options import Options
from deepperf.knowledge.words import LEFT_TO_PYTHON
from deepperf.records import Level

SHAPES = """
import {framework}

@{compiler}
def total(x):
    return x.sum()

def run(x, limits):
    return [total(x[x > limit]) for limit in limits]
"""


def remedy(framework: str, compiler: str, version: str) -> str:
    options = Options(level=Level.NOTE, framework_versions={framework: version})
    text = SHAPES.format(framework=framework, compiler=compiler)
    return next(one.remedy for one in check_text(text, options).findings)


def test_what_tells_of_it_is_named_where_the_version_has_it() -> None:
    counted = "`total.experimental_get_tracing_count()` no longer grows"
    explained = '`jax.config.update("jax_explain_cache_misses", True)` logs why'
    lowered = "`total.lower(…).compile()`, called in its place, raises an error for other shapes"
    assert counted in remedy("tensorflow", "tensorflow.function", "2.16")
    assert counted not in remedy("tensorflow", "tensorflow.function", "2.2")
    said = remedy("jax", "jax.jit", "0.4.30")
    assert explained in said
    assert lowered in said
    assert explained not in remedy("jax", "jax.jit", "0.4.1")


def test_tensorflow_counts_the_traces_of_a_function_and_of_a_method() -> None:
    tf = pytest.importorskip("tensorflow")

    class Model:
        @tf.function  # type: ignore[untyped-decorator]
        def doubled(self, x: Any) -> Any:
            return x * 2

    model = Model()
    counts = []
    for length in (2, 2, 3):
        model.doubled(tf.ones(length))
        counts.append(model.doubled.experimental_get_tracing_count())
    assert counts == [1, 1, 2]


def test_what_jax_has_compiled_ahead_refuses_other_shapes_and_the_log_says_why(
    caplog: pytest.LogCaptureFixture,
) -> None:
    jax = pytest.importorskip("jax")

    def doubled(x: Any) -> Any:
        return x * 2

    compiled = jax.jit(doubled)
    ahead = compiled.lower(jax.numpy.ones(3)).compile()
    assert float(ahead(jax.numpy.ones(3)).sum()) == 6
    with pytest.raises(TypeError, match="types differ"):
        ahead(jax.numpy.ones(4))
    option = "jax_explain_cache_misses"
    jax.config.update(option, True)
    try:
        compiled(jax.numpy.ones(4))
    finally:
        jax.config.update(option, False)
    assert "different input types" in caplog.text


LEFT = {
    "PIL": ("PIL.Image", "sum(m.fromarray(x.numpy()).size)"),
    "networkx": ("networkx", "m.path_graph(3).number_of_nodes()"),
    "pandas": ("pandas", "len(m.Series(x[0].numpy()))"),
    "scipy": ("scipy.optimize", "len(m.linear_sum_assignment(x.numpy())[0])"),
    "sklearn": ("sklearn.metrics", "float(m.mean_squared_error(x[0].numpy(), x[1].numpy()))"),
}


def test_packages_that_are_left_to_python_break_the_graph() -> None:
    torch = pytest.importorskip("torch")
    from benchmarks.compilers import break_frames

    whole = []
    for package in LEFT_TO_PYTHON:
        if package in LEFT:
            name, text = LEFT[package]
            try:
                module = importlib.import_module(name)
            except ModuleNotFoundError:
                continue
            torch._dynamo.reset()
            function = eval(f"lambda x: x + {text}", {"m": module})
            with break_frames() as found, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    torch.compile(function, backend="eager")(torch.rand(3, 3))
                except torch._dynamo.exc.InternalTorchDynamoError:
                    continue  # of what it calls: that is no graph either
            whole += [] if found else [package]
    assert whole == []
