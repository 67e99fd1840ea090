"""What star imports may bind, as far as texts tell."""

from __future__ import annotations

import pytest

from deepperf.semantics.files.project import Project
from deepperf.semantics.files.stars import may_bind, may_give, star_sources
from deepperf.semantics.text.source import Source, role_of


@pytest.mark.parametrize(
    "text",
    [
        "def set(values):\n    pass\n",
        "async def set(values):\n    pass\n",
        "class set[T]:\n    pass\n",
        "set = frozenset\n",
        "set: type = frozenset\n",
        "first, set = 1, 2\n",
        "first = set = 2\n",
        "set, first = 1, 2\n",
        "from sets import (\n    other,\n    set,\n)\n",
        "from sets import other, set\n",
        "import sets as set\n",
        "for set in sets:\n    pass\n",
        "with made() as set:\n    pass\n",
        "if (set := find()):\n    pass\n",
    ],
)
def test_a_name_that_a_statement_binds_may_be_bound(text: str) -> None:
    assert may_bind(text, "set")


@pytest.mark.parametrize(
    "text",
    [
        "seen = set(values)\n",
        "# This is set, if at all, here.\n",
        "values.set = 3\n",
        "reset = 3\n",
        "return set\n",
        "if set == frozenset:\n    pass\n",
    ],
)
def test_a_name_that_is_only_used_is_not_bound(text: str) -> None:
    assert not may_bind(text, "set")


def test_stars_lead_through_packages_to_submodules_too() -> None:
    project = _project(
        {
            "main.py": "from pack import *\n",
            "pack/__init__.py": "from .first import *\n",
            "pack/first.py": "from .second import *\n",
            "pack/second.py": "made = 1\n",
            "pack/other.py": "far = 1\n",
        }
    )
    reached = {"pack/__init__.py", "pack/first.py", "pack/second.py"}
    assert star_sources(project, "pack/__init__.py") == reached
    assert may_give(project, "pack/__init__.py", "made")
    assert may_give(project, "pack/__init__.py", "other")
    assert not may_give(project, "pack/__init__.py", "far")


def _project(texts: dict[str, str]) -> Project:
    return Project({path: Source(path, text, role_of(path)) for path, text in texts.items()})
