"""What was found out about a file goes out of memory with it, though nothing collects garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from deepperf.check.engine import installed_rules
from deepperf.check.run import check_file
from deepperf.config.options import Options
from deepperf.rules.page import read_page
from deepperf.rules.registry import find_rules
from deepperf.semantics.files.project import Project
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text.source import Source, role_of


@pytest.fixture
def _no_collecting() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def examples() -> dict[str, str]:
    """The Python files of the examples of all pages, those of each in a folder of its own."""
    return {
        f"{rule.name}_{example.line}/{file.path}": file.text
        for rule in find_rules()
        for example in read_page(rule.page).examples
        for file in example.files
        if file.path.endswith(".py")
    }


@pytest.mark.usefixtures("_no_collecting")
def test_no_checked_file_stays_in_memory() -> None:
    texts = examples()
    project = Project({path: Source(path, text, role_of(path)) for path, text in texts.items()})
    selection = installed_rules(Options(preview=True))

    for path in texts:
        check_file(project, path, selection)
        project.forget_modules(0)

    left = {
        known.module_path
        for known in gc.get_objects()
        if isinstance(known, Scope) and known.module_path in texts
    }
    assert left == set()
