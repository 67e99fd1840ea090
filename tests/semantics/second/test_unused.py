"""Whether anything in a project runs a function."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import files

START = "if __name__ == '__main__':\n    main()\n"
UNUSED = {
    "nobody names it": "def act():\n    pass\n\n\ndef main():\n    pass\n",
    "only an unused one calls it": (
        "def act():\n    pass\n\n\ndef other():\n    act()\n\n\ndef main():\n    pass\n"
    ),
    "it stands in an unused one": (
        "def other():\n    def act():\n        pass\n    return act\n\n\ndef main():\n    pass\n"
    ),
}
USED = {
    "it is called": "def act():\n    pass\n\n\ndef main():\n    act()\n",
    "it is called further away": (
        "def act():\n    pass\n\n\ndef other():\n    act()\n\n\ndef main():\n    other()\n"
    ),
    "a method is called": (
        "class A:\n    def act(self):\n        pass\n\n\ndef main():\n    A().act()\n"
    ),
}
UNKNOWN = {
    "a decorator takes it": "@take\ndef act():\n    pass\n\n\ndef main():\n    pass\n",
    "it is handed on": "def act():\n    pass\n\n\ndef main():\n    return {'a': act}\n",
    "its name is a text": "def act():\n    pass\n\n\ndef main():\n    run('act')\n",
    "its object may be given to anything": (
        "class A:\n    def act(self):\n        pass\n\n\ndef main():\n    run(A())\n"
    ),
    "what runs the file may run it": (
        "import fire\n\n\ndef act():\n    pass\n\n\ndef main():\n    fire.Fire()\n"
    ),
    "something unknown has a method of its name": (
        "class A:\n    def act(self):\n        pass\n\n\n"
        "class B:\n    def act(self):\n        pass\n\n\n"
        "KINDS = [A, B]\n\n\n"
        "def main(thing):\n    thing.act()\n"
    ),
}


def _is_unused(texts: dict[str, str], path: str = "a.py") -> bool | None:
    ordered = {path: texts[path], **texts}
    return next(one for one in files(ordered).functions() if one.name == "act").is_unused


@pytest.mark.parametrize("text", UNUSED.values(), ids=UNUSED)
def test_nobody_runs_a_function(text: str) -> None:
    assert _is_unused({"a.py": text + START}) is True


@pytest.mark.parametrize("text", USED.values(), ids=USED)
def test_somebody_runs_a_function(text: str) -> None:
    assert _is_unused({"a.py": text + START}) is False


@pytest.mark.parametrize("text", UNKNOWN.values(), ids=UNKNOWN)
def test_a_function_may_be_run_by_what_is_not_seen(text: str) -> None:
    assert _is_unused({"a.py": text + START}) is None


def test_what_a_package_exports_may_be_run_from_outside() -> None:
    package = {"pack/__init__.py": "from .a import act\n", "pack/a.py": "def act():\n    pass\n"}
    start = {"run.py": "def main():\n    pass\n\n\n" + START}
    assert _is_unused({**start, **package}, "pack/a.py") is None


def test_where_nothing_starts_a_program_nothing_is_unused() -> None:
    assert _is_unused({"a.py": "def act():\n    pass\n"}) is None


def test_what_a_test_calls_may_be_used() -> None:
    program = {"a.py": "def act():\n    pass\n\n\ndef main():\n    pass\n\n\n" + START}
    test = {"tests/test_a.py": "from a import act\n\n\ndef test_it():\n    act()\n"}
    assert _is_unused({**program, **test}) is None


OBJECT = "class A:\n    def act(self):\n        pass\n"
PROGRAM = {"run.py": "def main():\n    pass\n\n\n" + START}


def test_no_object_is_made_of_a_class_in_a_file_that_nothing_imports() -> None:
    assert _is_unused({"old.py": OBJECT, **PROGRAM}, "old.py") is True


@pytest.mark.parametrize(
    "others",
    [
        {"use.py": "import old\n"},
        {"load.py": "import importlib\n"},
    ],
    ids=["its file is imported", "files are imported by names that are made up"],
)
def test_an_object_may_be_made_elsewhere(others: dict[str, str]) -> None:
    assert _is_unused({"old.py": OBJECT, **PROGRAM, **others}, "old.py") is None


def test_an_object_may_be_made_in_its_own_file() -> None:
    assert _is_unused({"old.py": OBJECT + "\n\na = A()\n", **PROGRAM}, "old.py") is None
