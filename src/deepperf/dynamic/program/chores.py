"""What the statements of a loop do beside the work itself: they save, draw, log, or compute anew
over all that was gathered so far."""

from __future__ import annotations

import ast
import builtins
import enum
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deepperf.dynamic.program.text import class_around, spans, tree_of
from deepperf.dynamic.program.turns import Loop, names_in
from deepperf.knowledge import members
from deepperf.semantics.names.scopes import last_name

INCIDENTAL = frozenset(dir(builtins)) | frozenset(dir(str)) | members.HOST_READS
INCIDENTAL |= members.REDUCTIONS | members.SHAPE_METHODS | members.MODEL_LISTINGS
INCIDENTAL |= members.MAPPING_LISTINGS | members.CONTAINER_ADDITIONS | members.PICTURE_SETTINGS
INCIDENTAL |= {"Path", "exists", "exp", "get_last_lr", "perf_counter", "sqrt", "state_dict", "time"}
"""What may be called for the arguments of a chore, and costs little beside it."""


@dataclass(frozen=True, slots=True)
class Chore:
    """What is done by calls of these names, and what could be done instead."""

    names: frozenset[str]
    message: str
    remedy: str


CHECKPOINT = Chore(
    members.CHECKPOINT_WRITES,
    "a checkpoint is written within the training steps",
    "write one at the end of an epoch, or every few minutes",
)
STORED = Chore(
    frozenset(),
    "arrays are written to disk within the training steps",
    "write them at the end of an epoch, or every few minutes, and floating-point numbers "
    "uncompressed: they hardly become smaller",
)
PLOT = Chore(
    members.DRAWINGS | members.DISPLAYS,
    "a plot is drawn within the training steps",
    "keep the numbers, and plot them every few hundred steps or after training",
)
CHORES = (
    CHECKPOINT,
    PLOT,
    Chore(
        members.LOG_WRITES,
        "each step is logged",
        "collect the numbers, and log them every few hundred steps",
    ),
)
OVER_ALL = Chore(
    frozenset(),
    "every step computes again over everything collected so far",
    "keep running sums, or compute it once, after the loop",
)


IN_CALLBACK = Chore(
    frozenset(),
    "a callback does much work around each batch",
    "do it once per epoch, or every few hundred batches; keep only numbers in each",
)


class Runs(enum.Enum):
    """In how many turns of a loop a statement runs."""

    ALL = "all"
    SOME = "some"


def chore_in_callback(file: str, line: int) -> Chore:
    """What a line of a callback does around each batch, as far as its names tell."""
    tree = tree_of(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Expr) and spans(node, line):
            chore = _named_by(node)
            if chore is not None:
                return chore
    return IN_CALLBACK


def statements_of(file: str, loop: Loop) -> Iterator[tuple[ast.stmt, Runs]]:
    """The simple statements of a loop, and of functions of the same file that it calls by name or
    that these call, each with how often it runs."""
    for body, runs in _bodies(file, loop):
        yield from _within(body, runs)


def _bodies(file: str, loop: Loop) -> Iterator[tuple[list[ast.stmt], Runs]]:
    """What a loop runs, and each function that it leads to, as far as names tell."""
    functions: dict[str, list[ast.FunctionDef]] = {}
    tree = tree_of(file)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef):
            functions.setdefault(node.name, []).append(node)
    met: set[ast.FunctionDef] = set()
    often: deque[list[ast.stmt]] = deque([loop.body])
    seldom: deque[list[ast.stmt]] = deque()
    while often or seldom:
        # What some turns do, and every turn by another way, is done often.
        runs = Runs.ALL if often else Runs.SOME
        body = (often or seldom).popleft()
        yield body, runs
        for name, called in _called_in(body, runs):
            for function in functions.get(name, ()):
                if function not in met:
                    met.add(function)
                    (often if called is Runs.ALL else seldom).append(function.body)


def _called_in(body: list[ast.stmt], runs: Runs) -> Iterator[tuple[str, Runs]]:
    """The names of what is called, each with how often; what is called most comes first."""
    chosen: list[ast.AST] = []
    waiting: list[ast.AST] = [*body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If):
            waiting.append(node.test)
            chosen += [*node.body, *node.orelse]
            continue
        if isinstance(node, ast.Call):
            yield last_name(node.func) or "", runs
        waiting += ast.iter_child_nodes(node)
    for part in chosen:
        for node in ast.walk(part):
            if isinstance(node, ast.Call):
                yield last_name(node.func) or "", Runs.SOME


def _within(body: list[ast.stmt], runs: Runs) -> Iterator[tuple[ast.stmt, Runs]]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.For, ast.While)):
            continue
        inner = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        if not any(inner):
            yield statement, runs
        for part in inner:
            yield from _within(part, Runs.SOME if isinstance(statement, ast.If) else runs)


def chore_of(statement: ast.stmt, file: str, loop: Loop) -> Chore | None:
    """What a statement does that trains nothing; None where it does anything else as well."""
    chore = _named_by(statement)
    if chore is not None:
        return chore
    gathered = _gathered(file, loop).get(class_around(file, statement.lineno), frozenset())
    for call in ast.walk(statement):
        if isinstance(call, ast.Call) and last_name(call.func) != "len":
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            if any(ast.unparse(one) in gathered for one in given):
                return OVER_ALL
    return None


def _named_by(statement: ast.stmt) -> Chore | None:
    """The chore that the names of all that a statement calls stand for."""
    if not isinstance(statement, ast.Expr):
        return None
    calls = (node for node in ast.walk(statement) if isinstance(node, ast.Call))
    named = {last_name(call.func) or "" for call in calls}
    for chore in CHORES:
        if named & chore.names and not named - INCIDENTAL - chore.names:
            return chore
    return None


def _gathered(file: str, loop: Loop) -> Mapping[str, frozenset[str]]:
    """What a loop, and what it calls, appends to and never empties, by the class in which it has
    that name: another object's may be emptied while it is kept."""
    found: dict[str, set[str]] = {}
    emptied: dict[str, set[str]] = {}
    for body, _ in _bodies(file, loop):
        home = class_around(file, body[0].lineno)
        # Variables of a function are there for one turn.
        is_own = body is loop.body
        for node in (part for statement in body for part in ast.walk(statement)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = ast.unparse(node.func.value)
                if node.func.attr in members.LIST_ADDITIONS and (is_own or "." in name):
                    found.setdefault(home, set()).add(name)
                elif node.func.attr in members.CONTAINER_REMOVALS:
                    emptied.setdefault(home, set()).add(name)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    emptied.setdefault(home, set()).update(names_in(target))
    return {home: frozenset(names - emptied.get(home, set())) for home, names in found.items()}
