"""Files are left unread only if no rule could say anything about them."""

from __future__ import annotations

from deepperf.check.relevant import framework_mention, relevant
from deepperf.records import Failure, Location


def matters(**files: str) -> set[str]:
    content = {f"{name}.py": text.encode() for name, text in files.items()}
    return set(relevant(content, content.__getitem__, framework_mention()))


def test_a_file_that_names_a_framework_matters() -> None:
    assert matters(a="import torch\n", b="import os\n") == {"a.py"}


def test_who_imports_it_matters_over_any_number_of_steps() -> None:
    found = matters(a="import torch\n", b="from a import f\n", c="from pkg.b import g\n", d="x = 1")

    assert found == {"a.py", "b.py", "c.py"}


def test_who_is_imported_by_it_matters_for_values_flow_into_calls() -> None:
    assert matters(a="import torch, pipeline\n", pipeline="def f(d): return d.map(g)") == {
        "a.py",
        "pipeline.py",
    }


def test_imports_are_read_over_several_lines_and_from_packages() -> None:
    found = matters(
        a="import torch\nfrom pkg import (\n    one,  # first\n    two)\n",
        b="import torch; import three\n",
        c="import torch\nfrom x \\\n  import y, \\\n  four\n",
        d="import torch\nfrom .five import z\n",
        one="",
        two="",
        three="",
        four="",
        six="",
        **{"five/__init__": ""},
    )

    assert found >= {"one.py", "two.py", "three.py", "four.py", "five/__init__.py"}
    assert "six.py" not in found


def test_a_file_with_a_comment_for_deepperf_matters() -> None:
    assert matters(a="x = 1  # deepperf: ignore\n") == {"a.py"}


def test_a_file_that_cannot_be_read_matters_for_it_must_be_said() -> None:
    failure = Failure(Location("a.py", 1, 1, 1, 1), "cannot be read")

    assert relevant(["a.py"], lambda _: failure, framework_mention()) == {"a.py"}
