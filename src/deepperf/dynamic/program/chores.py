"""What the statements of a loop do beside the work itself: they save, draw, log, or compute anew
over all that was gathered so far."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from deepperf.dynamic.program.text import tree_of
from deepperf.dynamic.program.turns import Loop, names_in

INCIDENTAL = frozenset(
    [
        "item",
        "float",
        "int",
        "str",
        "len",
        "round",
        "format",
        "detach",
        "cpu",
        "numpy",
        "tolist",
        "state_dict",
        "join",
        "dict",
        "list",
        "min",
        "max",
        "sum",
        "mean",
        "time",
        "perf_counter",
        "get_last_lr",
        "exp",
        "sqrt",
        "size",
        "abs",
        "append",
        "zip",
        "enumerate",
        "range",
        "items",
        "keys",
        "values",
        "path",
        "Path",
        "exists",
        "figure",
        "title",
        "xlabel",
        "ylabel",
        "legend",
        "grid",
        "close",
        "clf",
        "cla",
        "gca",
        "gcf",
        "subplots",
        "flush_secs",
        "parameters",
        "to",
    ]
)
"""What may be called along the way, and costs little."""


@dataclass(frozen=True, slots=True)
class Chore:
    """What is done by calls of these names, and what could be done instead."""

    names: frozenset[str]
    message: str
    remedy: str


CHORES = (
    Chore(
        frozenset(
            [
                "save",
                "save_pretrained",
                "save_checkpoint",
                "save_model",
                "save_weights",
                "save_file",
                "dump",
            ]
        ),
        "a checkpoint is written in the loop of steps",
        "write one at the end of an epoch, or every so many minutes",
    ),
    Chore(
        frozenset(
            [
                "savefig",
                "show",
                "pause",
                "draw",
                "plot",
                "imshow",
                "imsave",
                "imwrite",
                "add_figure",
                "scatter",
                "hist",
            ]
        ),
        "something is drawn in the loop of steps",
        "keep the numbers, and draw them every so many steps or when the training is over",
    ),
    Chore(
        frozenset(
            [
                "print",
                "info",
                "debug",
                "warning",
                "log",
                "add_scalar",
                "add_scalars",
                "add_histogram",
                "add_image",
                "log_metric",
                "log_metrics",
                "write",
                "writelines",
                "writerow",
                "to_csv",
                "flush",
                "set_postfix",
                "set_postfix_str",
                "set_description",
            ]
        ),
        "each step is logged",
        "gather the numbers, and log them every so many steps",
    ),
)
OVER_ALL = Chore(
    frozenset(),
    "each step computes anew over all that was gathered so far",
    "keep running sums, or compute it once, after the loop",
)


IN_CALLBACK = Chore(
    frozenset(),
    "a callback does much around each batch",
    "do it once in an epoch, or every so many batches; keep only numbers at each",
)


def statements_of(file: str, loop: Loop) -> Iterator[tuple[ast.stmt, bool]]:
    """The simple statements of a loop, and of functions of the same file that it calls by name or
    that these call, each with whether it is run only in some turns."""
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
        is_seldom = not often
        body = (often or seldom).popleft()
        yield from _within(body, is_seldom=is_seldom)
        for name, is_chosen in _called_in(body, is_seldom=is_seldom):
            for function in functions.get(name, ()):
                if function not in met:
                    met.add(function)
                    (seldom if is_chosen else often).append(function.body)


def _called_in(body: list[ast.stmt], *, is_seldom: bool) -> Iterator[tuple[str, bool]]:
    """The names of what is called, each with whether that is done only in some turns; what is
    called in each turn comes first."""
    chosen: list[ast.AST] = []
    waiting: list[ast.AST] = [*body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If):
            waiting.append(node.test)
            chosen += [*node.body, *node.orelse]
            continue
        if isinstance(node, ast.Call):
            yield called_by(node), is_seldom
        waiting += ast.iter_child_nodes(node)
    for part in chosen:
        for node in ast.walk(part):
            if isinstance(node, ast.Call):
                yield called_by(node), True


def _within(body: list[ast.stmt], *, is_seldom: bool) -> Iterator[tuple[ast.stmt, bool]]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.For, ast.While)):
            continue
        inner = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        if not any(inner):
            yield statement, is_seldom
        is_chosen = isinstance(statement, ast.If)
        for part in inner:
            yield from _within(part, is_seldom=is_seldom or is_chosen)


def called_by(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def chore_of(statement: ast.stmt, loop: Loop) -> Chore | None:
    """What a statement does that trains nothing; None where it does anything else as well."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    named = {called_by(call) for call in calls}
    if isinstance(statement, ast.Expr):
        for chore in CHORES:
            if named & chore.names and not named - INCIDENTAL - chore.names:
                return chore
    gathered = _gathered(loop)
    for call in calls:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(ast.unparse(one) in gathered for one in given) and called_by(call) != "len":
            return OVER_ALL
    return None


def _gathered(loop: Loop) -> set[str]:
    """What a loop appends to, and never empties."""
    found = set()
    emptied = set()
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("append", "extend"):
                found.add(ast.unparse(node.func.value))
            elif node.func.attr in ("clear", "pop", "popleft"):
                emptied.add(ast.unparse(node.func.value))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                emptied |= names_in(target)
    return found - emptied
