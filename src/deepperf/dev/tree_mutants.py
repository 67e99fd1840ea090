"""Valid programs that nobody wrote: real ones whose trees were changed at random.

Texts with random damage mostly do not parse, and so exercise the parser. These do parse: calls
without arguments, targets without names, statements where none belong.
"""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from deepperf.rules.page import read_page
from deepperf.rules.registry import find_rules
from deepperf.semantics.text.syntax import parse_strictly

LONGEST = 8_000
"""Characters of a program: one that is checked a thousand times should be short."""
MOST_CHANGES = 4
FOLDERS = ("demo", "problems", "tests/programs")
EXPRESSIONS = (
    *("()", "[]", "{}", "None", "-1", "0", "1.5", "''", "'a'", "True", "...", "b''", "1j", "x"),
    *("f()", "f(*x, **x)", "f(x, y=0)", "x.y", "x[0]", "x[:]", "x[()]", "x[1:, ..., None]", "[x]"),
    *("lambda: 0", "lambda *x, **y: (x, y)", "x if y else z", "x < y < z", "f'{x!r:{y}}'", "-x"),
    *("(yield)", "(yield from x)", "await x", "(x := y)", "{**x}", "{x, *y}", "[y for y in x]"),
    *("{x: y for x, *y in z if x}", "(f(x) for () in y)", "x(y)(z)", "range(0)", "zip()", "not x"),
    *("enumerate(x)", "len(x)", "x ** -1", "2 ** 99", "[*x]", "(x, y)", "[[]]", "type(x)", "x @ y"),
)
TARGETS = (
    "()",
    "[]",
    "(x,)",
    "(x, *y)",
    "(x, (y, z))",
    "x.y",
    "x[0]",
    "x[:]",
    "[x, y]",
    "x",
    "(*x,)",
)
BLOCKS = (
    *("for x in y: pass", "for () in x: pass", "while x: pass", "if x: pass", "with x as y: pass"),
    *("try: pass\nexcept x as y: pass\nelse: pass\nfinally: pass", "def f(x, /, *, y=0): pass"),
    *("class C(x, metaclass=y): pass", "async def f(): pass", "match x:\n case [y, *z]: pass"),
    *("for x in y: pass\nelse: pass", "with (): pass", "while True: pass", "if False: pass"),
)

Slot = tuple[ast.AST, str, int]
"""Where a node stands: in which other, in which field, and at which place of its list, or -1."""


def programs(root: Path) -> tuple[str, ...]:
    """The demo, the problems, the test programs below `root` and all examples of rules' pages."""
    paths = [path for folder in FOLDERS for path in (root / folder).rglob("*.py")]
    texts = {path.read_text("utf-8") for path in paths}
    for rule in find_rules():
        texts |= {file.text for one in read_page(rule.page).examples for file in one.files}
    short = sorted(text for text in texts if 0 < len(text) <= LONGEST)
    return tuple(text for text in short if isinstance(parse_strictly(text), ast.Module))


def mutant(sources: Sequence[str], seed: int, number: int) -> str:
    """The text of a changed program; the same for the same sources, seed and number."""
    random = Random(f"{seed}/{number}")
    while True:
        tree = ast.parse(random.choice(sources))
        other = ast.parse(random.choice(sources))
        for _ in range(random.randint(1, MOST_CHANGES)):
            slots = _slots(tree)
            if slots:
                random.choice(CHANGES)(random, slots, other)
        text = _written(tree)
        if text is not None and isinstance(parse_strictly(text), ast.Module):
            return text


def _written(tree: ast.Module) -> str | None:
    """The text of a tree; None for one that no text has."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return None


# Slots


def _slots(root: ast.AST) -> list[Slot]:
    found: list[Slot] = []
    for node in ast.walk(root):
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                found += [(node, name, i) for i, v in enumerate(value) if isinstance(v, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                found.append((node, name, -1))
    return found


def _get(slot: Slot) -> ast.AST:
    node, name, place = slot
    value = getattr(node, name)
    found: ast.AST = value if place < 0 else value[place]
    return found


def _put(slot: Slot, new: object) -> None:
    node, name, place = slot
    if place < 0:
        setattr(node, name, new)
    else:
        getattr(node, name)[place] = new


def _family(node: ast.AST) -> type:
    """What a node may be exchanged for: `ast.expr`, `ast.stmt`, `ast.operator`, `ast.keyword`…"""
    return type(node).__mro__[-3]


def _chosen(random: Random, slots: list[Slot], *families: type) -> Slot | None:
    fitting = [slot for slot in slots if not families or isinstance(_get(slot), families)]
    return random.choice(fitting) if fitting else None


def _expression(random: Random, texts: Sequence[str]) -> ast.expr:
    # A target is parsed as what is read: the text does not show the difference.
    return ast.parse(random.choice(texts), mode="eval").body


# Changes. Each changes the tree that the slots are of.


def _delete(random: Random, slots: list[Slot], _: ast.AST) -> None:
    node, name, place = random.choice(slots)
    if place < 0:
        setattr(node, name, None)
    else:
        del getattr(node, name)[place]


def _duplicate(random: Random, slots: list[Slot], _: ast.AST) -> None:
    listed = [slot for slot in slots if slot[2] >= 0]
    if listed:
        node, name, place = slot = random.choice(listed)
        getattr(node, name).insert(place, copy.deepcopy(_get(slot)))


def _empty(random: Random, slots: list[Slot], _: ast.AST) -> None:
    """Leave nothing of a list: no arguments, no elements, no targets."""
    listed = [slot for slot in slots if slot[2] >= 0 and slot[1] != "body"]
    if listed:
        node, name, _place = random.choice(listed)
        setattr(node, name, [])


def _swap(random: Random, slots: list[Slot], _: ast.AST) -> None:
    one = random.choice(slots)
    other = _chosen(random, slots, _family(_get(one)))
    if other is not None:
        first, second = copy.deepcopy(_get(one)), copy.deepcopy(_get(other))
        _put(one, second)
        _put(other, first)


def _replace(random: Random, slots: list[Slot], other: ast.AST) -> None:
    """Put in what stands somewhere else, in this tree or the other."""
    slot = random.choice(slots)
    source = _chosen(random, random.choice((slots, _slots(other))), _family(_get(slot)))
    if source is not None:
        _put(slot, copy.deepcopy(_get(source)))


def _insert(random: Random, slots: list[Slot], other: ast.AST) -> None:
    """Put one more into a list: a statement, an argument, a target."""
    slot = random.choice(slots)
    source = _chosen(random, random.choice((slots, _slots(other))), _family(_get(slot)))
    if source is not None and slot[2] >= 0:
        getattr(slot[0], slot[1]).insert(slot[2], copy.deepcopy(_get(source)))


def _oddity(random: Random, slots: list[Slot], _: ast.AST) -> None:
    """Put an unusual expression or target in."""
    slot = _chosen(random, slots, ast.expr)
    if slot is not None:
        is_target = slot[1] in ("target", "targets", "optional_vars")
        _put(slot, _expression(random, TARGETS if is_target else EXPRESSIONS))


def _strip(random: Random, slots: list[Slot], _: ast.AST) -> None:
    """Leave of a statement or expression one that it is made of."""
    slot = _chosen(random, slots, ast.expr, ast.stmt)
    if slot is not None:
        node = _get(slot)
        inner = _chosen(random, _slots(node), _family(node))
        if inner is not None:
            _put(slot, _get(inner))


def _wrap_expression(random: Random, slots: list[Slot], _: ast.AST) -> None:
    slot, whole = _chosen(random, slots, ast.expr), _expression(random, EXPRESSIONS)
    names = [inner for inner in _slots(whole) if isinstance(_get(inner), ast.Name)]
    if slot is not None and names:
        _put(random.choice(names), _get(slot))
        _put(slot, whole)


def _wrap_statements(random: Random, slots: list[Slot], _: ast.AST) -> None:
    slot = _chosen(random, slots, ast.stmt)
    if slot is not None:
        node, name, place = slot
        end = place + random.randint(1, 4)
        around: Any = ast.parse(random.choice(BLOCKS)).body[0]
        inside = getattr(around, "body", None)
        inner = around.cases[0].body if inside is None else inside
        inner[:] = getattr(node, name)[place:end]
        getattr(node, name)[place:end] = [around]


def _rename(random: Random, slots: list[Slot], other: ast.AST) -> None:
    """Give a name, an attribute or a keyword another word of either tree."""
    words = [(node, *word) for node in map(_get, slots) for word in _words(node)]
    more = words + [(node, *word) for node in ast.walk(other) for word in _words(node)]
    if words:
        node, name, _word = random.choice(words)
        setattr(node, name, random.choice(more)[2])


def _words(node: ast.AST) -> list[tuple[str, str]]:
    if isinstance(node, ast.Constant):
        return []
    return [(name, value) for name, value in ast.iter_fields(node) if isinstance(value, str)]


Change = Callable[[Random, list[Slot], ast.AST], None]
CHANGES: tuple[Change, ...] = (
    *(_delete, _duplicate, _empty, _swap, _replace, _insert, _oddity, _oddity, _strip),
    *(_wrap_expression, _wrap_statements, _rename),
)
