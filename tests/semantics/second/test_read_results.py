"""Whether callers read what a function returns beside something else, whatever options say."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls


def read(callers: str) -> bool | None:
    """Whether callers read the first of two results."""
    (made,) = calls(f"def f(y):\n    return made(), y\n{callers}\n", "made")
    return made.result.is_read_by_callers


READ = {
    "unpacked": "def g(y):\n    x, z = f(y)\n    return x",
    "indexed": "def g(y):\n    return f(y)[0]",
    "by a star": "def g(y):\n    *x, z = f(y)\n    return x",
    "by the file, for its functions": "x, z = f(1)\ndef g():\n    return x",
    "by a function, for one inside": "def g(y):\n    x, z = f(y)\n    return lambda: x",
}
NOT_READ = {
    "left out": "def g(y):\n    _, z = f(y)\n    return z",
    "left out by the file": "x, z = f(1)\ndef g():\n    return z",
    "read in a branch": "def g(y):\n    x, z = f(y)\n    if y:\n        print(x)\n    return z",
    "of the same name elsewhere": "x, z = f(1)\ndef g(x):\n    return x",
}


@pytest.mark.parametrize("callers", READ.values(), ids=READ)
def test_what_a_caller_takes_is_read(callers: str) -> None:
    assert read(callers) is True


@pytest.mark.parametrize("callers", NOT_READ.values(), ids=NOT_READ)
def test_what_callers_leave_out_or_ask_for_is_not_read(callers: str) -> None:
    assert read(callers) is False


def test_of_what_nobody_calls_nothing_is_known() -> None:
    assert read("") is None
