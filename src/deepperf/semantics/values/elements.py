"""Parts of values: items, what iterating gives, what tuple targets unpack."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeAlias

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import COMPREHENSIONS, Scope, last_name
from deepperf.semantics.values import applications, classes, filled, values
from deepperf.semantics.values.terms import (
    UNKNOWN,
    Argument,
    Display,
    External,
    FunctionTerm,
    Generated,
    Instance,
    Literal,
    Object,
    Term,
    Value,
    union,
)

MOST_ENTRIES = 8
_MOST_ASKED = 64
_PAIRING = ("enumerate", "zip")
_LISTING = ("list", "tuple")
_GIVEN = "$0"
"""What a type yields whose objects are made of what they yield."""
_DATASET = "tensorflow.data.Dataset"
"""What loads data sets by their names gives several at once: they have no items themselves."""


def item_value(analysis: Analysis, node: ast.Subscript, scope: Scope) -> Value:
    found = item_of(analysis, values.evaluate(analysis, node.value, scope), node, scope)
    if found == (UNKNOWN,):
        return applications.kept(analysis, node) or found
    return found


def item_of(analysis: Analysis, held: Value, node: ast.Subscript, scope: Scope) -> Value:
    """What `held[…]` gives, as `node` stands in `scope`."""
    found: list[Value] = []
    is_part = isinstance(node.slice, ast.Slice)
    is_shown = any(isinstance(t, Display) and isinstance(t.node, ast.Dict) for t in held)
    for term in held:
        if is_part and isinstance(term, Display):
            found.append((term,))  # a shorter one, of the same elements
        elif isinstance(term, Display) and isinstance(term.node, (ast.Dict, ast.DictComp)):
            keys = _keys(analysis, node.slice, scope)
            found += [_display_item(analysis, term, key) for key in keys]
        elif isinstance(term, Display):
            found.append(_display_item(analysis, term, _constant(node.slice)))
        elif isinstance(term, Instance) and term.type in values.ARRAY_TYPES:
            found.append((Instance(term.type, node, scope),))
        elif isinstance(term, Instance) and term.type == _DATASET:
            found.append((term,))
        elif isinstance(term, Instance) and term.type == "builtins.dict":
            keys = _keys(analysis, node.slice, scope)
            found += [_entry(analysis, term.site, term.scope, key) for key in keys]
        elif isinstance(term, Instance):
            known = analysis.knowledge.type(term.type)
            if known is not None and known.yields == _GIVEN:
                found.append((term,) if is_part else _listed(analysis, term))
            elif known is not None and known.yields:
                given = term.type if is_part else known.yields.split()[-1]
                found.append((Instance(given, node, scope),))
            else:
                found.append((UNKNOWN,))
        elif isinstance(term, Argument) and is_shown:
            found.append((term,))  # what callers pass is taken to be like the dict that is shown
        else:
            found.append((UNKNOWN,))
    return union(*found) if found else (UNKNOWN,)


def _keys(analysis: Analysis, index: ast.expr, scope: Scope) -> tuple[object, ...]:
    """The keys of a dict that an index may be; None stands for any."""
    if isinstance(index, (ast.Name, ast.Attribute, ast.Subscript)):
        held = values.evaluate(analysis, index, scope)
        names = [t.value for t in held if isinstance(t, Literal) and isinstance(t.value, str)]
        if names and len(names) == len(held):
            return tuple(names)
    return (_constant(index),)


def _constant(node: ast.expr) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and isinstance(node.operand.value, int)
    ):
        return -node.operand.value
    return None


def _display_item(analysis: Analysis, display: Display, index: object) -> Value:
    node = display.node
    if isinstance(node, (ast.Dict, ast.DictComp)):
        return _entry(analysis, node, display.scope, index)
    if isinstance(node, (ast.List, ast.Tuple)):
        starred = any(isinstance(element, ast.Starred) for element in node.elts)
        if isinstance(index, int) and not starred and -len(node.elts) <= index < len(node.elts):
            return values.evaluate(analysis, node.elts[index], display.scope)
    return elements(analysis, (display,))


def got(analysis: Analysis, whole: Term, key: ast.expr) -> Value:
    """What `whole.get(key)` gives of a dict."""
    if not isinstance(whole, Instance) or whole.site is None:
        return (UNKNOWN,)
    held = _entry(analysis, whole.site, whole.scope, _constant(key))
    is_written_out = isinstance(whole.site, (ast.Dict, ast.DictComp))
    return union(held, (UNKNOWN,)) if is_written_out else held


def any_entry(analysis: Analysis, whole: Term) -> Value:
    """What a dict has under any of its keys."""
    made = whole.node if isinstance(whole, Display) else getattr(whole, "site", None)
    if not isinstance(whole, (Display, Instance)) or made is None:
        return (UNKNOWN,)
    written = _written_out(made, whole.scope)
    if isinstance(made, ast.DictComp):
        written = [filled.Put(made.key, made.value, whole.scope)]
    put = filled.put_into(analysis, made, whole.scope)
    entries = [*(one for one in written if one.key is not None), *put]
    is_open = any(one.key is None for one in written)
    if is_open or not entries or len(entries) > _MOST_ASKED:
        return (UNKNOWN,)
    return union(*(_given(analysis, one) for one in entries))


def _entry(analysis: Analysis, made: ast.expr | None, scope: Scope, index: object) -> Value:
    """What a dict has under a key; any of its entries where the key is not known."""
    if isinstance(made, ast.DictComp):
        return values.evaluate(analysis, made.value, scope)
    written = _written_out(made, scope)
    put = filled.put_into(analysis, made, scope) if made is not None else ()
    entries = [*written, *put]
    if index is not None:
        keys = [None if one.key is None else _constant(one.key) for one in entries]
        own = [one for key, one in zip(keys, entries, strict=True) if key == index]
        under_any = [one for key, one in zip(keys, entries, strict=True) if key is None]
        entries = own or under_any or written
    found = [_given(analysis, one) for one in entries[:MOST_ENTRIES]]
    return union(*found) if found else (UNKNOWN,)


def _written_out(made: ast.expr | None, scope: Scope) -> list[filled.Put]:
    """The entries in `{"name": value}` or `dict(name=value)`; one that is unpacked has no key."""
    if isinstance(made, ast.Dict):
        pairs = zip(made.keys, made.values, strict=True)
        return [filled.Put(key, value, scope) for key, value in pairs]
    if not isinstance(made, ast.Call) or made.args:
        return []
    named = ((one.arg, one.value) for one in made.keywords)
    return [filled.Put(ast.Constant(k) if k else None, value, scope) for k, value in named]


def _given(analysis: Analysis, put: filled.Put) -> Value:
    held = values.evaluate(analysis, put.value, put.scope)
    return unpack(analysis, held, put.unpacking)


def elements(analysis: Analysis, held: Value) -> Value:
    """What iterating over a value gives."""
    found: list[Value] = []
    for term in held:
        if isinstance(term, Display):
            node = term.node
            inner: list[ast.expr]
            if isinstance(node, ast.Dict):
                inner = [key for key in node.keys if key is not None]
            elif isinstance(node, ast.DictComp):
                inner = [node.key]
            elif isinstance(node, COMPREHENSIONS):
                inner = [node.elt]
            else:
                inner = node.elts
            found.extend(values.evaluate(analysis, part, term.scope) for part in inner[:8])
            if isinstance(node, (ast.List, ast.Set)):
                put = filled.put_into(analysis, node, term.scope)
                found.extend(_given(analysis, one) for one in put)
        elif isinstance(term, Generated):
            found.append(values.yielded(analysis, term.scope))
        elif isinstance(term, Instance) and term.type in values.ARRAY_TYPES:
            found.append((Instance(term.type, term.site, term.scope),))
        elif isinstance(term, Instance):
            known = analysis.knowledge.type(term.type)
            if known is not None and known.yields == _GIVEN:
                found.append(_listed(analysis, term))
            elif known is not None and known.yields:
                found.append((Instance(known.yields.split()[-1], term.site, term.scope),))
            else:
                found.append((UNKNOWN,))
        elif isinstance(term, Object):
            found.append(_object_elements(analysis, term))
        else:
            found.append((UNKNOWN,))
    return union(*found) if found else (UNKNOWN,)


def _listed(analysis: Analysis, term: Instance) -> Value:
    """What a list of a framework's own holds: what it was made of, and given later."""
    site, scope = term.site, term.scope
    if not isinstance(site, ast.Call):
        return (UNKNOWN,)

    def find() -> Value:
        given = [values.evaluate(analysis, one, scope) for one in site.args[:1]]
        found = [elements(analysis, one) for one in given]
        found += [_given(analysis, one) for one in filled.put_into(analysis, site, scope)]
        return union(*found) if found else (UNKNOWN,)

    unknown: Value = (UNKNOWN,)
    return analysis.remember(("listed in", site), find, unknown)


def _object_elements(analysis: Analysis, term: Object) -> Value:
    """What iterating over a project's object gives, one that is its own iterator too."""

    def find() -> Value:
        iterate = classes.method_of(analysis, term.cls, "__iter__")
        if not isinstance(iterate, Scope):
            return (UNKNOWN,)
        held = values.returned(analysis, iterate)
        if any(isinstance(part, Object) and part.cls is term.cls for part in held):
            following = classes.method_of(analysis, term.cls, "__next__")
            if isinstance(following, Scope):
                return values.returned(analysis, following)
            return (UNKNOWN,)
        return elements(analysis, held)

    unknown: Value = (UNKNOWN,)
    return analysis.remember(("elements of", term.cls), find, unknown)


RANGES = ("builtins.range", "tqdm.trange")
"""What gives the numbers of a loop."""


def bare(analysis: Analysis, iterable: ast.expr, scope: Scope) -> ast.expr:
    """What is gone through, without the progress bars around it."""
    while isinstance(iterable, ast.Call):
        held = values.evaluate(analysis, iterable.func, scope)
        names = [_passed_on(analysis, term) for term in held]
        passed = [keyword.value for keyword in iterable.keywords if keyword.arg in names]
        passed = [*iterable.args[:1], *passed]
        if not (names and passed) or None in names:
            break
        iterable = passed[0]
    return iterable


def _passed_on(analysis: Analysis, term: Term) -> str | None:
    """The name of the first parameter of what gives just that; "" where it is not known."""
    if isinstance(term, FunctionTerm):
        node = term.scope.node
        if not isinstance(node, ast.Lambda) or not isinstance(node.body, ast.Name):
            return None
        given = [argument.arg for argument in node.args.args[:1]]
        return node.body.id if given == [node.body.id] else None
    fact = analysis.knowledge.fact(term.name) if isinstance(term, External) else None
    if fact is None or fact.returns != "$0":
        return None
    return fact.parameters[0].name if fact.parameters else ""


Evaluate: TypeAlias = Callable[[Analysis, ast.expr, Scope], Value]


def iterated(
    analysis: Analysis,
    iterable: ast.expr,
    scope: Scope,
    unpacking: tuple[int, ...],
    evaluate: Evaluate | None = None,
) -> Value:
    """What a loop over `iterable` binds, unpacked; sees through enumerate and zip.

    `evaluate` says what is gone through holds, where that is known better than by itself.
    """
    evaluate = evaluate or values.evaluate
    iterable = bare(analysis, iterable, scope)
    if isinstance(iterable, ast.Call) and unpacking:
        for term in values.evaluate(analysis, iterable.func, scope):
            if term == External("builtins.enumerate") and iterable.args:
                if unpacking[0] == 0:
                    return (Instance("builtins.int", iterable, scope),)
                return iterated(analysis, iterable.args[0], scope, unpacking[1:], evaluate)
            if term == External("builtins.zip") and unpacking[0] < len(iterable.args):
                inner = iterable.args[unpacking[0]]
                return iterated(analysis, inner, scope, unpacking[1:], evaluate)
    if isinstance(iterable, ast.Call):
        for term in values.evaluate(analysis, iterable.func, scope):
            if isinstance(term, External) and term.name in RANGES:
                return (Instance("builtins.int", iterable, scope),)
    entries = _entries(analysis, iterable, scope, unpacking, evaluate)
    if entries is not None:
        return entries
    held = evaluate(analysis, iterable, scope)
    made = [_paired(term, iterable) for term in held] if unpacking else []
    if made and None not in made:
        pairs = [one for one in made if one is not None]
        return union(*(iterated(analysis, *one, unpacking, evaluate) for one in pairs))
    return unpack(analysis, elements(analysis, held), unpacking)


def _paired(term: Term, iterable: ast.expr) -> tuple[ast.expr, Scope] | None:
    """The call that made the pairs which a loop goes over by a name, or in a list of them."""
    site = term.site if isinstance(term, Instance) else None
    if not isinstance(site, ast.Call) or not isinstance(term, Instance):
        return None
    name = last_name(site.func)
    if name in _LISTING and len(site.args) == 1:
        return site.args[0], term.scope
    return (site, term.scope) if name in _PAIRING and site is not iterable else None


def _entries(
    analysis: Analysis,
    iterable: ast.expr,
    scope: Scope,
    unpacking: tuple[int, ...],
    evaluate: Evaluate,
) -> Value | None:
    """What going through `d.keys()`, `d.values()` or `d.items()` binds, of dicts that are known."""
    if not isinstance(iterable, ast.Call) or not isinstance(iterable.func, ast.Attribute):
        return None
    accessor, rest = iterable.func.attr, unpacking
    if accessor == "items" and unpacking:
        accessor, rest = ("values" if unpacking[0] == 1 else "keys"), unpacking[1:]
    if accessor not in ("keys", "values"):
        return None
    found: list[Value] = []
    for term in evaluate(analysis, iterable.func.value, scope):
        if isinstance(term, Display) and isinstance(term.node, (ast.Dict, ast.DictComp)):
            is_key = accessor == "keys"
            found.append(
                elements(analysis, (term,)) if is_key else _display_item(analysis, term, None)
            )
        elif accessor == "keys":
            return None
        elif isinstance(term, Instance) and term.type == "builtins.dict":
            found.append(_entry(analysis, term.site, term.scope, None))
        elif isinstance(term, Instance) and term.type == _DATASET:
            found.append((term,))
        else:
            return None
    return unpack(analysis, union(*found), rest) if found else None


def unpack(analysis: Analysis, held: Value, unpacking: tuple[int, ...]) -> Value:
    """The part of a value that nested tuple targets bind."""
    for index in unpacking:
        found: list[Value] = []
        for term in held:
            if isinstance(term, Display):
                found.append(_display_item(analysis, term, index))
            elif isinstance(term, Instance) and term.type in (*values.ARRAY_TYPES, _DATASET):
                found.append((term,))
            else:
                found.append((UNKNOWN,))
        held = union(*found) if found else (UNKNOWN,)
    return held
