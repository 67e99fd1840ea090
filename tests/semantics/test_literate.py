"""The Markdown files beside this one say what the engine must know; here they are held to it.

A heading is a test. A fence `python` is a file (`path=name.py` names it), all fences of a
heading are one project, and a comment on a line speaks of the expression of the statement
that begins there: what is assigned, returned, iterated over or called.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from deepperf.semantics.calls import reach
from deepperf.semantics.files.project import Project
from deepperf.semantics.frameworks.versions import admitted_versions
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.invariance.steady import steady
from deepperf.semantics.loops.regions import region_of_loop
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.values.terms import (
    ClassTerm,
    Display,
    External,
    FunctionTerm,
    Generated,
    Instance,
    Literal,
    Method,
    Object,
    Term,
)
from deepperf.semantics.view import Call, Expression, FileView, Loop, view_file

HERE = Path(__file__).parent
CLAIM = re.compile(
    r"# (name|value|loop|object|trips|effects|reached from|traced|over|calls): (.*)$"
)
IN_LOOPS = {
    Certainty.YES: "invariant",
    Certainty.NO: "varies",
    Certainty.UNKNOWN: "unknown",
}
OBJECTS = {Certainty.YES: "same", Certainty.NO: "others", Certainty.UNKNOWN: "unknown"}
METADATA = ("requirements.txt", "pyproject.toml", "setup.cfg", "environment.yml", "uv.lock")


@dataclass(frozen=True)
class Case:
    """One heading: its files by path."""

    title: str
    files: dict[str, str]


def read_cases(page: Path) -> Iterator[Case]:
    title = page.stem
    files: dict[str, str] = {}
    tokens = MarkdownIt().parse(page.read_text(encoding="utf-8"))
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            if files:
                yield Case(title, files)
            title, files = f"{page.stem}: {tokens[index + 1].content}", {}
        elif token.type == "fence":
            named = re.search(r"path=(\S+)", token.info)
            files[named.group(1) if named else "main.py"] = token.content
    if files:
        yield Case(title, files)


CASES = [case for page in sorted(HERE.glob("*.md")) for case in read_cases(page)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.title)
def test_the_engine_knows_what_the_page_says(case: Case) -> None:
    sources = {}
    for path, text in case.files.items():
        if path not in METADATA:
            source = read_source(path, text.encode())
            assert isinstance(source, Source)
            sources[path] = source
    metadata = {path: text for path, text in case.files.items() if path in METADATA}
    project = Project(sources, admitted_versions(metadata))

    claims = 0
    for path in sources:
        view = view_file(project, path)
        for number, line in enumerate(case.files[path].splitlines(), 1):
            for part in line.split("# ")[1:]:
                claim = CLAIM.match("# " + part.strip())
                if claim:
                    claims += 1
                    said = answer(view, claim.group(1), number)
                    assert said == claim.group(2).strip(), f"{path}:{number}: {line}"

    assert claims, "a case without a claim proves nothing"


def answer(view: FileView, question: str, line: int) -> str:
    """What the engine says about the statement that begins on a line."""
    expression, loops = subject(view, line)
    if question == "value":
        held = expression._value
        return " | ".join(dict.fromkeys(spell(term) for term in held)) or "nothing"
    if question == "trips":
        return str(loops[-1].trips)
    if question == "over":
        return loops[-1].over.value
    if question == "loop":
        region = region_of_loop(view._analysis, loops[-1]._frame)
        return IN_LOOPS[steady(view._analysis, expression._node, region).certainty]
    if question == "object":
        return OBJECTS[expression.same_object_in(loops[-1])]
    call = expression.call
    assert call is not None, "the claim needs a call"
    return answer_on_call(call, question)


def answer_on_call(call: Call, question: str) -> str:
    if question == "name":
        return call.name or "unknown"
    if question == "effects":
        return ", ".join(sorted(effect.value for effect in call.effects)) or "none"
    if question == "calls":
        return ", ".join(sorted(target.qualified_name for target in call.targets)) or "none"
    if question == "traced":
        function = call.function
        return "yes" if function is not None and function.is_traced else "no"
    paths = [
        " > ".join(
            [Loop(call._analysis, loop).header, *(Call(call._analysis, one).called for one in way)]
        )
        for loop, way in reach.loop_paths(call._analysis, call._site)
    ]
    return " and ".join(paths) or "no loop"


def subject(view: FileView, line: int) -> tuple[Expression, list[Loop]]:
    module = view._analysis.module(view.path)
    for scope in module.scopes.module.walk():
        for statement, around in statements_of(scope):
            if statement.lineno == line and not isinstance(
                statement, (ast.FunctionDef, ast.ClassDef, ast.If, ast.Try)
            ):
                node = getattr(statement, "value", None) or getattr(statement, "iter", None)
                if isinstance(statement, ast.While):
                    node = statement.test
                if isinstance(statement, ast.With):
                    node = statement.items[0].context_expr
                assert isinstance(node, ast.expr)
                loops = [
                    Loop(view._analysis, module.scopes.loop_frames[id(loop)]) for loop in around
                ]
                if isinstance(statement, (ast.For, ast.While)):
                    frame = module.scopes.loop_frames[id(statement)]
                    loops.append(Loop(view._analysis, frame))
                return Expression(view._analysis, node, scope), loops
    raise AssertionError(f"no statement with an expression begins on line {line}")


def statements_of(scope: Scope) -> Iterator[tuple[ast.stmt, tuple[ast.stmt, ...]]]:
    """The statements of a scope, each with the loops around it."""
    body = getattr(scope.node, "body", [])
    pending: list[tuple[ast.stmt, tuple[ast.stmt, ...]]] = []
    if isinstance(body, list):
        pending = [(node, ()) for node in body]
    while pending:
        statement, around = pending.pop()
        yield statement, around
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        is_loop = isinstance(statement, (ast.For, ast.While))
        inner = (*around, statement) if is_loop else around
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.stmt):
                pending.append((child, inner))
            elif isinstance(child, ast.ExceptHandler):
                pending.extend((part, inner) for part in child.body)


def spell(term: Term) -> str:
    """A term in the words of the pages."""
    if isinstance(term, External):
        return term.name
    if isinstance(term, Instance):
        return f"a {term.type}" if term.type else "unknown"
    if isinstance(term, Object):
        return f"a {term.cls.name}"
    if isinstance(term, Literal):
        return repr(term.value)
    if isinstance(term, FunctionTerm):
        return f"function {term.scope.qualified_name}"
    if isinstance(term, ClassTerm):
        return f"class {term.scope.name}"
    if isinstance(term, Method):
        return f"method {spell(term.function).removeprefix('function ')}"
    if isinstance(term, Display):
        return type(term.node).__name__.lower()
    if isinstance(term, Generated):
        return f"generator {term.scope.name}"
    return {"Argument": "an argument", "ModuleTerm": "a module"}.get(type(term).__name__, "unknown")
