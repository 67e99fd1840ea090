"""Small programs from text, and what the floors of the engine say of marked places in them."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

from deepperf.semantics.files.project import Project
from deepperf.semantics.ir.table import UNBOUND, Kind
from deepperf.semantics.query import Call, File, Function, Loop, Value, file_of
from deepperf.semantics.text.source import Source, read_source

MAIN = "example.py"


def files(texts: dict[str, str]) -> File:
    """The first of some files of one project."""
    sources = {path: read_source(path, dedent(text).encode()) for path, text in texts.items()}
    read = {path: one for path, one in sources.items() if isinstance(one, Source)}
    return file_of(Project(read), next(iter(texts)))


def file(text: str) -> File:
    return files({MAIN: text})


def function(text: str, name: str) -> Function:
    return next(one for one in file(text).functions() if one.name == name)


def calls(text: str, name: str) -> list[Call]:
    """The calls that are written with a name, in the order of the text."""
    found = [call for call in file(text).calls() if call.name == name]
    return sorted(found, key=lambda call: call.span)


def probed(text: str) -> list[Value]:
    """What stands in `probe(…)`, in the order of the text."""
    return [call.arguments[0] for call in calls(text, "probe")]


def loops(text: str) -> list[Loop]:
    return sorted(file(text).loops(), key=lambda loop: loop.span)


def reaching(value: Value) -> set[Any]:
    """The literals that may reach a place, "unbound" where the variable may have no value."""
    unit, found, seen = value.unit, set[Any](), set[int]()
    pending = [value.place[2]]
    while pending:
        index = pending.pop()
        if index in seen:
            continue
        seen.add(index)
        op = unit.ops[index]
        if index == UNBOUND:
            found.add("unbound")
        elif op.kind is Kind.CONSTANT:
            found.add(op.data)
        elif op.kind in (Kind.PHI, Kind.CYCLE):
            pending.extend(op.args)
        else:
            found.add(op.kind)
    return found
