"""The plugin that pytest loads: `@pytest.mark.deepperf(max_compilations=1, no_host_sync=True)`."""

from __future__ import annotations

import sys
from collections.abc import Generator
from contextlib import ExitStack
from typing import Any

import pytest

MARK = "deepperf"
HELP = (
    f"{MARK}(max_compilations=None, no_graph_breaks=False, no_host_sync=False, "
    "max_forwards_per_sample=None, max_growth=None): fail the test, naming the line, where its "
    "code compiles, waits, runs models again or keeps memory beyond these limits"
)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", HELP)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """Watch a marked test, and fail it where it exceeds its limits."""
    mark = item.get_closest_marker(MARK)
    if mark is None:
        return (yield)
    from deepperf.config.options import WrongUse
    from deepperf.dynamic.recording.places import UserCode
    from deepperf.surfaces.testing import compiling, forwards, growth, waiting
    from deepperf.surfaces.testing.limits import Seen, complaints, limits_of, seen_at

    try:
        if mark.args:
            raise WrongUse("limits are given by name, such as max_compilations=1")
        limits = limits_of(mark.kwargs)
    except (WrongUse, TypeError) as error:
        pytest.fail(f"@pytest.mark.{MARK}: {error}", pytrace=False)
    code = UserCode()
    seen: dict[str, Any] = {}
    before = {name for name in ("torch", "jax", "tensorflow") if name in sys.modules}
    with ExitStack() as stack:
        if limits.max_compilations is not None:
            seen["max_compilations"] = stack.enter_context(compiling.compilations(code))
        if limits.no_graph_breaks:
            seen["no_graph_breaks"] = stack.enter_context(compiling.graph_breaks(code))
        if limits.no_host_sync:
            seen["no_host_sync"] = stack.enter_context(waiting.waits(code))
        if limits.max_forwards_per_sample is not None:
            seen["max_forwards_per_sample"] = stack.enter_context(forwards.forwards(code))
        if limits.max_growth is not None:
            seen["max_growth"] = stack.enter_context(growth.growth(code))
        result = yield
    late = {name for name in ("torch", "jax", "tensorflow") if name in sys.modules} - before
    if late:
        pytest.fail(
            f"@pytest.mark.{MARK}: {' and '.join(sorted(late))} was first imported within the "
            "test, where nothing was watched: import it at the top of the file",
            pytrace=False,
        )
    told = {
        name: Seen(what.per_sample, what.places)
        if isinstance(what, forwards.Forwards)
        else seen_at(what)
        for name, what in seen.items()
    }
    exceeded = list(complaints(limits, told, item.config.rootpath))
    if exceeded:
        pytest.fail("\n".join(exceeded), pytrace=False)
    return result
