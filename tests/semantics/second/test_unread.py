"""Whether anything reads what a variable is assigned."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls

READ = {
    "returned": "x = made()\n    return x",
    "read in a later iteration": "x = 0\n    for _ in y:\n        use(x)\n        x = made()",
    "read after a branch": "x = 0\n    if y:\n        x = made()\n    return x",
    "read by a function inside": "x = made()\n    return lambda: x",
    "read by a method of a class inside": (
        "x = made()\n    class A:\n        def f(self):\n            return x\n    return A"
    ),
    "read by name": "x = made()\n    return locals()",
    "read by a comprehension": "x = made()\n    return [x for _ in y]",
    "a variable of the file": "global x\n    x = made()",
    "unpacked": "x, z = made()\n    return z",
    "an attribute": "y.x = made()",
    "assigned to nothing": "made()",
    "deleted": "x = made()\n    del x",
}
UNREAD = {
    "never read": "x = made()\n    return y",
    "assigned anew": "x = made()\n    x = y\n    return x",
    "read before": "x = y\n    use(x)\n    x = made()",
    "assigned in each iteration": "for _ in y:\n        x = made()\n    return y",
    "of the same name elsewhere": "x = made()\n    def g(x):\n        return x\n    return g",
}


@pytest.mark.parametrize("body", READ.values(), ids=READ)
def test_what_may_be_read_is_no_waste(body: str) -> None:
    (made,) = calls(f"def f(y):\n    {body}\n", "made")
    assert not made.result.is_unread


@pytest.mark.parametrize("body", UNREAD.values(), ids=UNREAD)
def test_what_nothing_reads_is_unread(body: str) -> None:
    (made,) = calls(f"def f(y):\n    {body}\n", "made")
    assert made.result.is_unread


def test_what_a_try_stands_around_may_be_tried() -> None:
    body = "try:\n        x = made()\n    except ValueError:\n        x = made()\n    x = made()"
    found = calls(f"def f(y):\n    {body}\n", "made")
    assert [one.result.is_tried for one in found] == [True, False, False]


def parts(callers: str, around: str = "") -> bool:
    """Whether callers leave out the first of two results."""
    text = f"{around}def f(y):\n    return made(), y\n{callers}\n"
    (made,) = calls(text, "made")
    return made.result.is_returned_unread


LEFT_OUT = {
    "unpacked": "def g(y):\n    _, z = f(y)\n    return z",
    "unpacked, and not read": "def g(y):\n    x, z = f(y)\n    return z",
    "indexed": "def g(y):\n    return f(y)[1]",
    "kept, then indexed": "def g(y):\n    both = f(y)\n    return both[1]",
    "by two callers": "def g(y):\n    _, z = f(y)\n    return z\ndef h(y):\n    return f(y)[1]",
}
TAKEN = {
    "by one of two callers": "def g(y):\n    return f(y)[1]\ndef h(y):\n    return f(y)[0]",
    "in a branch": "def g(y):\n    x, z = f(y)\n    return x if y else z",
    "as a whole": "def g(y):\n    return f(y)",
    "from the end": "def g(y, n):\n    return f(y)[n]",
    "in parts": "def g(y):\n    (x, w), z = f(y)\n    return x",
    "by a star": "def g(y):\n    x, *z = f(y)\n    return x, z",
    "by whom it is passed to": "def g(y):\n    apply(f)\n    return f(y)[1]",
    "by nobody that is seen": "",
    "by the file": "x, z = f(1)\ndef g():\n    return x",
    "by a function of the file, as its own": "_x, z = f(1)\ndef g():\n    return _x",
}


@pytest.mark.parametrize("callers", LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_all_callers_leave_out_is_unread(callers: str) -> None:
    assert parts(callers)


@pytest.mark.parametrize("callers", TAKEN.values(), ids=TAKEN)
def test_what_a_caller_may_take_is_read(callers: str) -> None:
    assert not parts(callers)


def test_what_a_decorator_gets_may_be_read() -> None:
    assert not parts("def g(y):\n    return f(y)[1]", "@wrapped\n")
