"""What a loop changes by another name than the one it is read by."""

from __future__ import annotations

import pytest
from tests.semantics.test_repetition import repeated

ASKING = "print(x @ np.linalg.inv(a))"
CHANGING = {
    "a second name": ("b = a", "b += x"),
    "a row": ("row = a[0]", "row[:] = x"),
    "a view that a method gave": ("line = a.diagonal()", "line += 1.5"),
    "a view of the turn": ("", "a.diagonal().fill(x)"),
    "a transposed view": ("b = a.T", "b[0] = x"),
    "elements of a tuple": ("", "for b in (a, x): b += 1.5"),
    "a function's list of arguments": ("", "grow(*[a])"),
    "a function's loop over its arguments": ("", "grow(a)"),
    "what a function is told to write to": ("", "np.add(a, x, out=a)"),
    "a function that orders anew": ("rng = np.random.default_rng(0)", "rng.shuffle(a)"),
    "an object that was given it": ("keeper = Keeper(a)", "keeper.take(x)"),
    "an object that is called": ("keeper = Keeper(a)", "keeper(x)"),
    "what a block ends with": ("keeper = Keeper(a)", "with keeper: pass"),
}
KEEPER = """
def grow(*arrays):
    for one in arrays:
        one += 1.5


class Keeper:
    def __init__(self, kept):
        self.kept = kept

    def take(self, x):
        self.kept += x

    def __call__(self, x):
        self.take(x)

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.kept *= 0.9

    def look(self, x):
        return self.kept @ x
"""
LEAVING = {
    "a counter": ("n = len(a)", "n += 1"),
    "a name bound anew": ("b = a", "b = b + x"),
    "a copy": ("b = a.copy()", "b += x"),
    "an object that only looks": ("keeper = Keeper(a)", "keeper.look(x)"),
}


def of_loop(before: str, within: str) -> list[str]:
    lines = ["def f(xs, a):", f"    {before}", "    for x in xs:", f"        {ASKING}"]
    return repeated("\n".join([KEEPER, *lines, f"        {within}", ""]))


@pytest.mark.parametrize("way", CHANGING)
def test_what_a_loop_changes_by_another_name_is_not_the_same_in_each_turn(way: str) -> None:
    assert of_loop(*CHANGING[way]) == []


@pytest.mark.parametrize("way", LEAVING)
def test_what_else_becomes_of_another_name_leaves_the_first_alone(way: str) -> None:
    assert of_loop(*LEAVING[way]) == ["np.linalg.inv(a)"]


BANK = """
class Base:
    def fill(self, x):
        self.rows = x


class Bank(Base):
    def __init__(self):
        self.rows = np.eye(3)

    def after(self, x):
        pass

    def total(self, xs):
        step = self.fill
        for x in xs:
            print(x @ np.linalg.inv(self.rows))
            {}


class Heir(Bank):
    def after(self, x):
        self.rows = x
"""
SETTING = ("step(x)", "super().fill(x)", "self.after(x)", "run(self.fill, x)")


@pytest.mark.parametrize("line", SETTING)
def test_an_attribute_that_a_method_sets_is_not_the_same_in_each_turn(line: str) -> None:
    assert repeated(BANK.replace("{}", line)) == []


def test_an_attribute_that_no_method_of_the_turn_sets_is_the_same() -> None:
    assert repeated(BANK.replace("{}", "print(step)")) == ["np.linalg.inv(self.rows)"]


def test_what_others_set_while_a_loop_hands_over_is_not_the_same() -> None:
    setting = "\n\ndef main(bank):\n    for x in bank.total([]):\n        bank.rows = x\n"
    assert repeated(BANK.replace("{}", "yield x") + setting) == []
    unset = BANK.replace("self.rows = x", "pass")
    assert repeated(unset.replace("{}", "yield x")) == ["np.linalg.inv(self.rows)"]


CHOOSING = (
    "found = np.linalg.inv(a) if found is None else found",
    "found = found or np.linalg.inv(a)",
)


@pytest.mark.parametrize("line", CHOOSING)
def test_what_is_computed_where_it_is_missing_is_not_computed_in_each_turn(line: str) -> None:
    body = f"def f(xs, a):\n    found = None\n    for x in xs:\n        {line}\n"
    assert repeated(body + "        print(x @ found)\n") == []


OWN_COPIES = (
    "a = a.copy()",
    "a = a - 1.0",
    "a = a.astype(np.float32)",
    "a = np.array(a)",
    "a = a * 2.0\n    a /= a.max()",
)
NO_COPIES = (
    "a = a.reshape(-1, 3)",
    "a = np.asarray(a)",
    "a = settle(a)",
    "b = a\n    a = b[:3]",
    "a = a if len(a) else a.copy()",
)


@pytest.mark.parametrize("line", OWN_COPIES)
def test_what_a_function_does_to_its_own_copy_leaves_alone_what_it_was_given(line: str) -> None:
    written = f"def own(a):\n    {line}\n    a[0] = 3.0\n    return a\n\n\n"
    loop = f"def f(xs, a):\n    for x in xs:\n        own(a)\n        {ASKING}\n"
    assert repeated(written + loop) == ["np.linalg.inv(a)"]


@pytest.mark.parametrize("line", NO_COPIES)
def test_another_name_or_view_by_the_same_name_is_no_copy(line: str) -> None:
    written = f"def own(a):\n    {line}\n    a[0] = 3.0\n    return a\n\n\n"
    loop = f"def f(xs, a):\n    for x in xs:\n        own(a)\n        {ASKING}\n"
    assert repeated(written + loop) == []


def test_what_is_read_before_a_name_gets_a_copy_is_what_was_given() -> None:
    function = (
        "def scaled(x, a):\n"
        "    y = np.linalg.inv(a)\n"
        "    a = a.copy()\n"
        "    a[0] = x\n"
        "    return a @ y\n\n\n"
    )
    loop = "def f(xs, a):\n    for x in xs:\n        print(scaled(x, a))\n"
    assert repeated(function + loop) == ["np.linalg.inv(a)"]
    assert repeated(function.replace("a = a.copy()", "pass") + loop) == []


NO_CASTS = (
    "a = torch.tensor(2 * a)",
    "_, a = step(x)\n        a = torch.tensor(a)",
    "a = a.to(device)\n        a = a + x",
    "a = a.to(device)\n        a.add_(x)",
)


@pytest.mark.parametrize("line", NO_CASTS)
def test_what_turns_change_or_take_from_elsewhere_is_not(line: str) -> None:
    body = f"def f(xs, a, device):\n    for x in xs:\n        {line}\n        {ASKING}\n"
    assert "np.linalg.inv(a)" not in repeated(body)


def test_what_a_module_writes_once_is_the_same_in_each_turn_elsewhere() -> None:
    module = "table = np.eye(3)\n{}\n\n"
    loop = "def f(xs):\n    for x in xs:\n        print(x @ np.linalg.inv(table))\n"
    assert repeated(module.format("table[0] = 2.0\n") + loop) == ["np.linalg.inv(table)"]
