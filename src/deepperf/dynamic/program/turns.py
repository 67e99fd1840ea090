"""What a turn of a loop needs of the turn before it, told from the loop's text."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from deepperf.dynamic.program.loops import is_mapped_at
from deepperf.dynamic.program.one_by_one import comes_one_by_one
from deepperf.dynamic.program.text import spans, tree_of
from deepperf.semantics.names.scopes import last_name

Loop = ast.For | ast.AsyncFor | ast.While
Comprehension = ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
Names = frozenset[str]
PARTS = ("unbind", "split", "chunk", "zip", "enumerate", "reversed", "tqdm")
"""What gives a loop part after part of what it is called with."""

GOES_OVER = ("range", "len", "enumerate", "zip", "reversed", "sorted", "list", "tqdm", "trange")
"""What a loop may go over, or counts by, that is there before it begins."""

LEAVES = (ast.Break, ast.Return, ast.Yield, ast.YieldFrom)
"""What ends a loop before its time, or lets others go on between its turns."""
READS = ("{}.item()", "float({})", "int({})", "bool({})")
"""What makes a number of what a loop goes over."""


def needs_last_turn(file: str, line: int) -> bool:
    """Whether the statement at a line works on what an earlier turn of its loop has made, so that
    turns cannot be joined: a recurrence, a simulation, text written word by word."""
    return any(_needs(loop, line) for loop in loops_around(file, line))


def is_carried(file: str, line: int, name: str) -> bool:
    """Whether a loop around a line makes a variable of what it was a turn before."""
    turns = [_turn(loop)[0] for loop in loops_around(file, line)]
    return any(name in made and _reaches(name, made) for made in turns)


def takes_item(file: str, line: int) -> bool:
    """Whether the statement at a line works on what its loop goes over, and on nothing that an
    earlier turn has made."""
    for loop in loops_around(file, line):
        if not isinstance(loop, ast.While) and _reads(loop, line, names_in(loop.target)):
            return not _reads(loop, line, _filled(loop)) and not needs_last_turn(file, line)
    return any(
        names_in(part.target) & names_in(node)
        for node in _comprehensions(file, line)
        for part in node.generators
    )


def takes_item_of_inmost(file: str, line: int) -> bool:
    """The same of the innermost loop alone, which takes all of its turns: those around it may need
    what each of their own turns has made of all of these, as of the scales of a picture."""
    loop = next(iter(loops_around(file, line)), None)
    if loop is None or isinstance(loop, ast.While):
        return False
    if any(isinstance(node, LEAVES) for node in ast.walk(loop)):
        return False
    is_item = _reads(loop, line, names_in(loop.target)) and not _reads(loop, line, _filled(loop))
    return is_item and not _needs(loop, line)


def _reads(loop: Loop, line: int, names: Names) -> bool:
    """Whether the statement at a line works on what some names are when a turn begins."""
    return any(line in lines and needed & names for lines, needed in _turn(loop)[1])


def goes_over_what_is_read(file: str, line: int) -> int:
    """The line at which the innermost loop around another one begins, if that reads a number of
    what the loop goes over, as `x.item()` does in `for x in values`: then both are one piece of
    work. 0 for any other."""
    loop = next(iter(loops_around(file, line)), None)
    if loop is None or isinstance(loop, ast.While) or not isinstance(loop.target, ast.Name):
        return 0
    name = loop.target.id
    calls = (node for node in ast.walk(loop) if isinstance(node, ast.Call) and spans(node, line))
    is_read = any(ast.unparse(call) in {read.format(name) for read in READS} for call in calls)
    return loop.lineno if is_read else 0


def only_carries_state(file: str, line: int) -> bool:
    """Whether the call at a line works on what each turn of its loop is given, with nothing from
    the turn before but its own answer, which no other statement changes: `h = cell(x[:, t], h)`."""
    loop = next(iter(loops_around(file, line)), None)
    if loop is None or any(isinstance(node, LEAVES) for node in ast.walk(loop)):
        return False
    made, _ = _turn(loop)
    again = {name for name in made if _reaches(name, made)}
    before: dict[str, Names] = {}
    for statement in _simple(loop.body):
        if spans(statement, line):
            return _only_carries(statement, before, again) and _is_set_once(loop, statement)
        _follow(statement, before, [])
    return False


def _only_carries(statement: ast.stmt, before: dict[str, Names], again: set[str]) -> bool:
    call = getattr(statement, "value", None)
    if not isinstance(statement, ast.Assign) or not isinstance(call, ast.Call):
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    answered = frozenset().union(*map(names_in, statement.targets))
    state = frozenset().union(*map(_whole_names, given[1:]))
    return bool(state) and state <= answered and not _needed(names_in(given[0]), before) & again


def _whole_names(node: ast.expr) -> Names:
    """The same names, without the objects that attributes are of."""
    names = names_in(node)
    return names - {name.partition(".")[0] for name in names if "." in name}


def _is_set_once(loop: Loop, statement: ast.Assign | ast.stmt) -> bool:
    """Whether nothing else in a loop sets what a statement does."""
    answered = _stored_by(statement)
    others = (one for one in _simple(loop.body) if one is not statement)
    return not any(answered & _stored_by(one) for one in others)


def _stored_by(statement: ast.stmt) -> Names:
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            found.add(ast.unparse(node))
    return frozenset(found)


def goes_over_what_is_there(file: str, line: int) -> bool:
    """Whether the loop of a line goes over something that has a name, or counts: what a call hands
    over one by one may be there only then."""
    loops = [loop.iter for loop in loops_around(file, line)[:1] if not isinstance(loop, ast.While)]
    inner = [part.iter for node in _comprehensions(file, line) for part in node.generators]
    return any(_is_there(one) and not comes_one_by_one(file, line, one) for one in loops or inner)


def _is_there(value: ast.expr) -> bool:
    if isinstance(value, ast.Call):
        is_plain = isinstance(value.func, ast.Name) and value.func.id in GOES_OVER
        return is_plain and all(map(_is_there, value.args))
    return isinstance(value, (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp))


def _filled(loop: Loop) -> Names:
    """What a loop sets parts of: a turn may read what the one before has put there."""
    return frozenset().union(
        *(
            _filled_by(target)
            for node in ast.walk(loop)
            if isinstance(node, (ast.Assign, ast.AugAssign))
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        )
    )


def _filled_by(target: ast.expr) -> Names:
    """What an assignment sets a part of."""
    return frozenset().union(
        *(names_in(part.value) for part in ast.walk(target) if isinstance(part, ast.Subscript))
    )


def picks_by_turn(file: str, line: int) -> bool:
    """Whether the loop of a line takes parts by an index that changes with the turn, or takes part
    after part of what it goes over."""
    for loop in loops_around(file, line):
        turning = names_in(loop.target) if not isinstance(loop, ast.While) else _counted(loop)
        for node in ast.walk(loop):
            if isinstance(node, ast.Subscript) and names_in(node.slice) & turning:
                return True
        if not isinstance(loop, ast.While) and _goes_over_parts(loop.iter):
            return True
    return _is_in_comprehension(file, line) or is_mapped_at(file, line)


def _goes_over_parts(over: ast.expr) -> bool:
    """Whether a loop goes over something that is there, whole, before the first turn."""
    if isinstance(over, ast.Call):
        is_given = bool(over.args) or isinstance(over.func, ast.Attribute)
        return is_given and last_name(over.func) in PARTS
    return isinstance(over, (ast.Name, ast.Attribute))


def only_updates(file: str, line: int) -> bool:
    """Whether the statement at a line needs of earlier turns nothing but the array that it updates,
    as `x = x.at[i].set(v)` and `x = changed(x, i)` do."""
    return all(_only_updates(loop, line) for loop in loops_around(file, line))


def _only_updates(loop: Loop, line: int) -> bool:
    made, _ = _turn(loop)
    again = {name for name in made if _reaches(name, made)}
    for statement in _simple(loop.body):
        if not spans(statement, line):
            continue
        if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
            return False
        targets = names_in(statement.targets[0])
        counts = Counter(
            part.id for part in ast.walk(statement.value) if isinstance(part, ast.Name)
        )
        counts.subtract(targets & _updated(statement.value))
        needed = frozenset(name for name, count in counts.items() if count > 0)
        return not _needed(needed, made) & again
    return True


def _updated(call: ast.Call) -> Names:
    """What a call takes as a whole: `x` of `x.at[i].set(v)`, or its plain arguments."""
    plain = {part.id for part in call.args if isinstance(part, ast.Name)}
    plain |= {
        part.value.id
        for part in ast.walk(call)
        if isinstance(part, ast.Attribute)
        and part.attr == "at"
        and isinstance(part.value, ast.Name)
    }
    return frozenset(plain)


def in_loop(file: str, line: int) -> bool:
    """Whether a line stands in the body of a loop or in a comprehension."""
    return bool(loops_around(file, line)) or _is_in_comprehension(file, line)


def _is_in_comprehension(file: str, line: int) -> bool:
    return bool(_comprehensions(file, line))


def _comprehensions(file: str, line: int) -> list[Comprehension]:
    tree = tree_of(file)
    return [
        node
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp, ast.DictComp))
        and spans(node, line)
    ]


def loops_around(file: str, line: int) -> tuple[Loop, ...]:
    """Loops whose body a line stands in, the innermost first, within one function."""
    tree = tree_of(file)
    if tree is None:
        return ()
    functions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    around = [node for node in ast.walk(tree) if isinstance(node, functions) and spans(node, line)]
    scope: ast.AST = max(around, key=lambda node: node.lineno) if around else tree
    found = [
        node
        for node in ast.walk(scope)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and is_within(node, line)
    ]
    return tuple(sorted(found, key=lambda loop: -loop.lineno))


def is_within(loop: Loop, line: int) -> bool:
    """Whether a line stands in the body of a loop."""
    return any(spans(part, line) for part in loop.body)


def names_in(node: ast.AST | None) -> Names:
    """Variables, and attributes with dots, that an expression reads or writes."""
    if node is None:
        return frozenset()
    found = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            found.add(part.id)
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            found.add(f"{part.value.id}.{part.attr}")
    return frozenset(found)


def _counted(loop: ast.While) -> Names:
    return frozenset().union(
        *(names_in(node.target) for node in ast.walk(loop) if isinstance(node, ast.AugAssign))
    )


def _needs(loop: Loop, line: int) -> bool:
    made, read = _turn(loop)
    again = {name for name in made if _reaches(name, made)}
    return any(line in lines and needed & again for lines, needed in read)


def _turn(loop: Loop) -> tuple[dict[str, Names], list[tuple[range, Names]]]:
    """What each name depends on at the end of a turn, and each line, in names at its beginning."""
    made: dict[str, Names] = {}
    read: list[tuple[range, Names]] = []
    for statement in _simple(loop.body):
        _follow(statement, made, read)
    return made, read


def _simple(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body that hold no others, in order; of compound ones, what they hold,
    and what they ask as a statement of its own."""
    for statement in body:
        inner = [
            part
            for name in ("body", "orelse", "finalbody")
            for part in getattr(statement, name, ())
            if isinstance(part, ast.stmt)
        ]
        inner += [part for handler in getattr(statement, "handlers", ()) for part in handler.body]
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        if inner:
            if isinstance(statement, (ast.If, ast.While)):
                yield ast.Expr(statement.test, **_extent(statement.test))
            yield from _simple(inner)
        else:
            yield statement


def _extent(node: ast.expr) -> dict[str, int]:
    return {"lineno": node.lineno, "end_lineno": node.end_lineno or node.lineno, "col_offset": 0}


def _follow(statement: ast.stmt, made: dict[str, Names], read: list[tuple[range, Names]]) -> None:
    """Add what a statement reads and makes."""
    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    value = getattr(statement, "value", None)
    targets: list[ast.expr] = []
    own: Names = frozenset()
    if isinstance(statement, ast.Assign):
        targets = statement.targets
        own = _summed(statement)
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
        targets = [statement.target]
    # What was made before in the same turn is no sum over turns.
    own = own - made.keys()
    needed = _needed(names_in(value) - own, made) if isinstance(value, ast.expr) else frozenset()
    read.append((lines, needed))
    for target in targets:
        for filled in _filled_by(target) & made.keys():
            # What was made in this turn depends from now on on what it is filled with, and where.
            made[filled] = made[filled] | needed | _needed(names_in(target), made)
        for part in ast.walk(target):
            name = ""
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                name = part.id
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                name = f"{part.value.id}.{part.attr}"
            if name:
                made[name] = needed | (
                    made.get(name, frozenset())
                    if isinstance(statement, ast.AugAssign)
                    else frozenset()
                )


def _summed(statement: ast.Assign) -> Names:
    """`total = total + x` sums up, and needs the last turn for nothing else."""
    value, target = statement.value, statement.targets[0]
    if isinstance(value, ast.BinOp) and isinstance(target, ast.Name):
        sides = (value.left, value.right)
        if any(isinstance(side, ast.Name) and side.id == target.id for side in sides):
            return frozenset({target.id})
    return frozenset()


def _needed(names: Names, made: dict[str, Names]) -> Names:
    """What names stand for, in those that they had at the beginning of the turn."""
    found: set[str] = set()
    for name in names:
        found |= made.get(name, {name})
    return frozenset(found)


def _reaches(name: str, made: dict[str, Names]) -> bool:
    """Whether what a name is at the end of a turn depends on what it was at its beginning."""
    seen: set[str] = set()
    waiting = list(made[name])
    while waiting:
        one = waiting.pop()
        if one == name:
            return True
        if one not in seen:
            seen.add(one)
            waiting += made.get(one, ())
    return False
