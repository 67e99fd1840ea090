"""The rules of the house that a program can check."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import deepperf
from deepperf.rules.evidence import read_evidence, stale
from deepperf.rules.page import read_page
from deepperf.rules.registry import find_refusals, find_rules

ROOT = Path(__file__).parents[2]
SOURCE = Path(deepperf.__file__).parent
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE = 400
GRAB_BAGS = {"util", "utils", "helper", "helpers", "common", "base", "core", "misc", "manager"}
TEXTS = {".py", ".md", ".toml", ".json", ".ipynb", ".cfg", ".txt", ".yml", ".yaml", ""}
# Written in halves, so that this file does not name one itself.
MACHINE_PATHS = re.compile(
    r"(?<![A-Za-z0-9_.])/(?:" + "|".join(["wo" + "rk", "ro" + "ot", "fa" + "rm"]) + r")/"
    r"|/(?:home|Users)/(?!user\b|you\b)\w+/"
)
SKIPPED_FOLDERS = {"build", "dist", "node_modules", "__pycache__", "packages"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True, slots=True)
class Told:
    """What there is to say of a module: its syntax tree is not kept."""

    lines: int
    is_silent: bool
    flags: tuple[str, ...]


@functools.cache
def read() -> dict[str, Told]:
    """The modules, by name."""
    found = {}
    for path in MODULES:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        silent = bool(tree.body) and not ast.get_docstring(tree)
        found[name_of(path)] = Told(len(text.splitlines()), silent, tuple(flags(tree)))
    return found


def flags(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                annotation = argument.annotation
                if annotation and ast.unparse(annotation) in ("bool", "bool | None"):
                    yield f"{node.name}({argument.arg})"


def own_files() -> list[Path]:
    found = []
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        hidden = any(part.startswith(".") and part != ".ci" for part in parts)
        if path.is_file() and not hidden and not SKIPPED_FOLDERS & set(parts):
            found.append(path)
    return found


def test_a_module_is_short() -> None:
    assert [name for name, told in read().items() if told.lines > LONGEST_MODULE] == []


def test_a_module_says_what_it_is_for() -> None:
    assert [name for name, told in read().items() if told.is_silent] == []


def test_a_function_takes_no_bare_flag() -> None:
    assert [f"{name}: {flag}" for name, told in read().items() for flag in told.flags] == []


def test_modules_are_named_by_their_subject() -> None:
    parts = {part for path in MODULES for part in path.relative_to(SOURCE).with_suffix("").parts}
    assert parts & GRAB_BAGS == set()


def test_no_path_of_a_machine_is_written_down() -> None:
    named = [
        f"{name_of(path)}:{number}"
        for path in own_files()
        if path.suffix in TEXTS
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), start=1)
        if MACHINE_PATHS.search(line)
    ]
    assert named == []


def test_no_test_is_switched_off_but_for_a_missing_framework() -> None:
    mark = re.compile(r"pytest\.(mark\.)?(skip|xfail)\b(?!if)")
    switched_off = [
        f"{name_of(path)}:{number}"
        for path in (ROOT / "tests").rglob("*.py")
        if path != Path(__file__)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if mark.search(line) and "is not installed" not in line
    ]
    assert switched_off == []


def test_evidence_is_about_the_code_on_the_page() -> None:
    stale_rules = [
        files.name
        for files in find_rules()
        if stale(read_evidence(files.evidence, files.name), read_page(files.page).pairs)
    ]
    assert stale_rules == [], f"measure again: deepperf bench {' '.join(stale_rules)}"


def test_all_evidence_belongs_to_a_rule() -> None:
    belonging = {files.evidence for files in (*find_rules(), *find_refusals())}
    assert set((SOURCE / "rules").glob("*/*/evidence.json")) - belonging == set()


@pytest.mark.parametrize("layer", ["semantics", "dynamic"])
def test_the_architecture_names_every_folder_of_a_large_layer(layer: str) -> None:
    told = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = {path.name for path in (SOURCE / layer).iterdir() if any(path.glob("*.py"))}
    assert {name for name in folders if f"`{name}/`" not in told} == set()


def test_the_engine_has_no_module_outside_its_folders_but_the_bridge() -> None:
    modules = {path.name for path in (SOURCE / "semantics").glob("*.py")}
    assert modules == {"__init__.py", "bridge.py"}
