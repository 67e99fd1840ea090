"""What a call gives a function anew in each turn takes no part in the work that turns repeat."""

from __future__ import annotations

import pytest

from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import view_file


def repeated(function: str, loop: str = "for x in xs") -> list[str]:
    """The operations that a loop repeats which calls a function."""
    text = (
        f"import numpy as np\nimport torch\n{function}\n"
        f"def main(xs, a):\n    {loop}:\n        print(f(x, a))\n"
    )
    source = read_source("main.py", text.encode())
    assert isinstance(source, Source)
    view = view_file(Project({"main.py": source}), "main.py")
    return [work.operation.text for loop in view.loops() for work in loop.repeated_work()]


def test_work_is_found_however_much_is_done_before_to_what_differs() -> None:
    many = "".join(f"    print(np.linalg.det(x + {n}))\n" for n in range(20))
    function = f"def f(x, a):\n{many}    return np.linalg.inv(a) @ x\n"
    assert repeated(function) == ["np.linalg.inv(a)"]


@pytest.mark.parametrize(
    "function",
    [
        "def f(x, a):\n    return np.linalg.inv(x)\n",
        "def f(x, a):\n    x = x + a\n    return np.linalg.inv(x)\n",
        "def f(x, a):\n    y = 2 * x\n    return np.linalg.inv(y)\n",
        "def f(x, a):\n    parts = []\n    parts.append(x)\n    return np.stack(parts)\n",
    ],
)
def test_what_is_made_of_what_differs_is_not_repeated(function: str) -> None:
    assert repeated(function) == []


def test_a_name_that_is_given_something_else_no_longer_differs() -> None:
    function = "def f(x, a):\n    print(x)\n    x = a + 1\n    return np.linalg.inv(x)\n"
    assert repeated(function) == ["np.linalg.inv(x)"]


def test_a_list_of_what_stays_the_same_is_joined_again() -> None:
    function = "def f(x, a):\n    parts = []\n    parts.append(a)\n    return np.stack(parts) @ x\n"
    assert repeated(function) == ["np.stack(parts)"]


def test_where_what_differs_lies_stays_the_same() -> None:
    function = "def f(x, a):\n    return x + torch.exp(torch.arange(9, device=x.device))\n"
    found = repeated(function, "for x, y in xs")
    assert found == ["torch.exp(torch.arange(9, device=x.device))"]
