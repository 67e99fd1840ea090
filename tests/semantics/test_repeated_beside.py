"""What a call passes anew in each iteration takes no part in the work that iterations repeat."""

from __future__ import annotations

import pytest
from tests.semantics.test_repetition import repeated as repetition


def repeated(function: str, loop: str = "for x in xs") -> list[str]:
    """The operations that a loop repeats which calls a function."""
    return repetition(f"{function}\ndef main(xs, a):\n    {loop}:\n        print(f(x, a))\n")


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
