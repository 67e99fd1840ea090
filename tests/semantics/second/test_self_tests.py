"""Whether code only runs where a module that others import is tried out."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import files

USER = "from pack.tool import act\n\nact()\n"
START = "\n\nif __name__ == '__main__':\n    shown()\n"
TRIED = "def act():\n    pass\n\n\ndef shown():\n    act()\n" + START


def _is_self_test(line: int, text: str, others: dict[str, str]) -> bool:
    return files({"pack/tool.py": text, **others}).is_self_test(line)


@pytest.mark.parametrize(("line", "expected"), [(2, False), (6, True), (10, True)])
def test_what_an_imported_file_does_when_it_is_started_tries_it_out(
    line: int, expected: object
) -> None:
    assert _is_self_test(line, TRIED, {"run.py": USER}) is expected


def test_what_nobody_imports_is_a_program() -> None:
    assert not _is_self_test(6, TRIED, {"run.py": "act = 1\n"})


def test_what_only_tests_import_is_a_program() -> None:
    assert not _is_self_test(6, TRIED, {"tests/test_tool.py": USER})


PROGRAMS = {
    "it reads options": (
        "import argparse\n\n\ndef shown():\n    argparse.ArgumentParser().parse_args()\n"
    ),
    "it trains": "import torch\n\n\ndef shown():\n    torch.ones(1).sum().backward()\n",
    "something takes it": "import zoo\n\n\n@zoo.command\ndef shown():\n    pass\n",
    "others call it, too": "def shown():\n    pass\n\n\ndef act():\n    shown()\n",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_an_imported_file_may_be_a_program_all_the_same(text: str) -> None:
    line = text.splitlines().index("def shown():") + 2
    assert not _is_self_test(line, text + START, {"run.py": USER})
