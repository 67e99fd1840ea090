"""How calls follow each other in a dataset's pipeline, and how many elements go through."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.sizes import rows
from deepperf.semantics.text import tree
from deepperf.semantics.values import filled, values
from deepperf.semantics.values.terms import (
    NONE,
    Argument,
    Display,
    Instance,
    Literal,
    Term,
    Value,
)

FEW = 16
"""Elements that are fetched to be looked at; with more of them a program may work for long."""
_MOST_STEPS = 12
_KEEPING = frozenset((Trait.CHAINS_DATASET, Trait.MAPS_ELEMENTS))


def inputs(analysis: Analysis, site: CallSite) -> tuple[CallSite, ...]:
    """The calls that made the dataset whose method a call is.

    What a parameter may hold besides is left out; no answer if anything else is not known.
    """
    if not isinstance(site.node.func, ast.Attribute):
        return ()
    found: dict[CallSite, None] = {}
    others: set[CallSite | None] = set()
    for term in values.evaluate(analysis, site.node.func.value, site.scope):
        if isinstance(term, Argument):
            continue
        maker = _maker(analysis, term)
        if maker is not None and isinstance(term, Instance) and term.type:
            found[maker] = None
        else:
            others.add(maker)
    found.pop(site, None)
    # What is called on a parameter may also be what is not known of it: the same call.
    others = {maker for maker in others if not _may_give(analysis, maker, found)}
    return tuple(found) if others <= {*found, site} else ()


def sources(analysis: Analysis, site: CallSite) -> tuple[tuple[CallSite, str], ...]:
    """The calls that may have made a dataset that a call transforms, or pairs with others.

    With each stands its place in the elements, as text, where these are pairs: "" means all.
    What else may be transformed, in other calls of the function, is left out; so is what
    comes by no iteration of a loop of steps that turns.
    """
    if not has(callgraph.fact_at(analysis, site), Trait.PAIRS_DATASETS):
        made = _transformed(analysis, site)
        passed = {before for maker in made for before in _before_loop(analysis, maker, site)}
        return tuple((maker, "") for maker in made if maker not in passed)
    given, scope = _paired(analysis, site)
    return tuple(
        (maker, str(place))
        for place, part in enumerate(given)
        for maker in _makers(analysis, part, scope)
    )


def are_sources_known(analysis: Analysis, site: CallSite) -> bool:
    """Whether nothing but what `sources` gives is transformed, or paired, as far as is seen."""
    if has(callgraph.fact_at(analysis, site), Trait.PAIRS_DATASETS):
        given, scope = _paired(analysis, site)
    else:
        given, scope = _owner(site), site.scope
    held = [term for part in given for term in values.evaluate(analysis, part, scope)]
    made = {id(term.site) for term in held if isinstance(term, Instance) and term.type}
    # What is called on a parameter may also be what is not known of it: the same call.
    return bool(given) and all(
        isinstance(term, Argument)
        or term == NONE
        or (isinstance(term, Instance) and id(term.site) in made)
        for term in held
    )


def _owner(site: CallSite) -> list[ast.expr]:
    return [site.node.func.value] if isinstance(site.node.func, ast.Attribute) else []


def _paired(analysis: Analysis, site: CallSite) -> tuple[list[ast.expr], Scope]:
    """The expressions of the datasets that a call pairs, and where they stand."""
    given = tree.arguments(site.node)
    if len(given) == 1:
        held = values.evaluate(analysis, given[0], site.scope)
        if len(held) == 1 and isinstance(held[0], Display):
            return tree.children(held[0].node), held[0].scope  # type: ignore[return-value]
    return given, site.scope


def _transformed(analysis: Analysis, site: CallSite) -> list[CallSite]:
    owners = _owner(site)
    made = (maker for owner in owners for maker in _makers(analysis, owner, site.scope))
    return [maker for maker in made if maker is not site]


def _before_loop(analysis: Analysis, maker: CallSite, after: CallSite) -> set[CallSite]:
    """What comes into a loop around `maker`, of what comes out of it by `maker` at `after`."""
    loops = {frame for frame in maker.frames if frame.is_loop} - set(after.frames)
    inside, waiting, before = {maker}, [maker], set()
    while loops and waiting and len(inside) < _MOST_STEPS:
        for other in _transformed(analysis, waiting.pop()):
            if loops.isdisjoint(other.frames):
                before.add(other)
            elif other not in inside:
                inside.add(other)
                waiting.append(other)
    return before


def _makers(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[CallSite]:
    """The calls that may have made the datasets that an expression holds."""
    for term in values.evaluate(analysis, node, scope):
        maker = _maker(analysis, term)
        if maker is not None and isinstance(term, Instance) and term.type:
            yield maker


def _may_give(analysis: Analysis, maker: CallSite | None, made: Collection[CallSite]) -> bool:
    """Whether a call hands on what another call made that is known."""
    held = () if maker is None else values.evaluate(analysis, maker.node, maker.scope)
    return any(isinstance(t, Instance) and t.type and _maker(analysis, t) in made for t in held)


def _maker(analysis: Analysis, term: Term) -> CallSite | None:
    if not isinstance(term, Instance) or not isinstance(term.site, ast.Call):
        return None
    return analysis.site_of(term.site, term.scope)


def applied(analysis: Analysis, site: CallSite) -> CallSite:
    """The call inside `dataset.apply(call())`; the site itself if it is no such call."""
    fact = callgraph.fact_at(analysis, site)
    if not has(fact, Trait.APPLIES_TRANSFORMATION):
        return site
    argument = callgraph.role_argument(site.node, fact, ParameterRole.TRANSFORMATION)
    held: Value = () if argument is None else values.evaluate(analysis, argument, site.scope)
    if len(held) == 1 and isinstance(held[0], Instance):
        made = held[0]
        inner = analysis.site_of(made.site, made.scope)
        return site if inner is None else inner
    return site


def joining(analysis: Analysis, function: Scope) -> Iterator[CallSite]:
    """The calls of a file that make one dataset of those a function gives, as `partial` has it."""
    joins = frozenset((Trait.JOINS_DATASETS,))
    for site in callgraph.sites_with(analysis, function.module_path, joins):
        fact = callgraph.fact_at(analysis, site)
        given = callgraph.role_argument(site.node, fact, ParameterRole.FUNCTION) if fact else None
        held: Value = () if given is None else values.evaluate(analysis, given, site.scope)
        if any(target.function is function for target in callgraph.targets_of(analysis, held)):
            yield site


def size(analysis: Analysis, site: CallSite) -> int | None:
    """How many elements a dataset has at most, when the text tells."""
    return analysis.remember(("dataset size", site.node), lambda: _size(analysis, site), None)


def _size(analysis: Analysis, site: CallSite) -> int | None:
    fact = callgraph.fact_at(analysis, applied(analysis, site))
    if fact is None:
        return None
    if Trait.ONE_ELEMENT in fact.traits:
        return 1
    if Trait.ONE_PER_ITEM in fact.traits:
        return _size_created(analysis, site)
    # A dataset of files, or one that is made of several, may be long, however few these are.
    if Trait.JOINS_DATASETS in fact.traits or fact.traits.isdisjoint(_KEEPING):
        return None
    before = [size(analysis, made) for made in inputs(analysis, site)]
    known = [count for count in before if count is not None]
    given = max(known) if known and len(known) == len(before) else None
    if Trait.REPEATS in fact.traits:
        times = _times(analysis, site, fact)
        return None if given is None or times is None else given * times
    most = few_taken(analysis, site, fact)
    return min((count for count in (given, most) if count is not None), default=None)


def _times(analysis: Analysis, site: CallSite, fact: Fact) -> int | None:
    """How often a call gives its elements, where that is said."""
    argument = callgraph.role_argument(site.node, fact, ParameterRole.TIMES)
    held: Value = () if argument is None else values.evaluate(analysis, argument, site.scope)
    count = held[0].value if len(held) == 1 and isinstance(held[0], Literal) else None
    return count if type(count) is int and count >= 0 else None


def few_taken(analysis: Analysis, site: CallSite, fact: Fact) -> int | None:
    """The number of elements that a call lets through, where the text says that it is small."""
    argument = callgraph.role_argument(site.node, fact, ParameterRole.MOST)
    held: Value = () if argument is None else values.evaluate(analysis, argument, site.scope)
    counts = [term.value for term in held if isinstance(term, Literal)]
    if not counts or len(counts) < len(held):
        return None
    known = [count for count in counts if type(count) is int and 0 <= count <= FEW]
    return max(known) if len(known) == len(counts) else None


def _size_created(analysis: Analysis, site: CallSite) -> int | None:
    """Of a range of numbers, or of numbers written out."""
    arguments = tree.arguments(site.node)
    held = [values.evaluate(analysis, argument, site.scope) for argument in arguments]
    if not held or any(len(value) != 1 for value in held):
        return None
    terms = [value[0] for value in held]
    if len(terms) == 1 and isinstance(terms[0], Instance):
        return rows.rows(analysis, arguments[0], site.scope)
    if all(isinstance(term, Literal) and type(term.value) is int for term in terms):
        return max(abs(term.value) for term in terms if isinstance(term, Literal))  # type: ignore[arg-type]
    if isinstance(terms[0], Display):
        display = terms[0]
        loop = analysis.module_of(display.scope).scopes.loop_frames.get(id(display.node))
        # It has as many columns as its comprehension has turns, whatever their length.
        if loop is not None and _is_of_columns(analysis, display):
            return None
        if loop is not None:
            return loops.trips(analysis, loop)
        # What is written out may be a beginning only: `names = []`, to which a loop appends.
        if filled.is_filled(analysis, display):
            return None
        return _length(display.node) or _size_of_parts(analysis, display)
    return None


def _is_of_columns(analysis: Analysis, made: Display) -> bool:
    """Whether a comprehension makes a dict or, with `tuple` around it, a tuple."""
    if isinstance(made.node, ast.DictComp):
        return True
    around = analysis.parents_in(made.scope).get(id(made.node))
    if not isinstance(around, ast.Call):
        return False
    called = values.evaluate(analysis, around.func, made.scope)
    return callgraph.external_names(called) == ("builtins.tuple",)


def _size_of_parts(analysis: Analysis, whole: Display) -> int | None:
    """Of arrays side by side, which are as long as each other: one that is known tells."""
    node = whole.node
    parts = node.values if isinstance(node, ast.Dict) else ()
    if isinstance(node, ast.Tuple):
        parts = node.elts
    lengths = [_length(part) or rows.rows(analysis, part, whole.scope) for part in parts]
    return min((length for length in lengths if length is not None), default=None)


def _length(node: ast.expr) -> int | None:
    if not isinstance(node, (ast.List, ast.Tuple)):
        return None
    if isinstance(node, ast.Tuple) and node.elts:
        # Slices of a tuple of lists: as many as the lists are long.
        lengths = [_length(element) for element in node.elts]
        if all(length is not None for length in lengths):
            return max(length for length in lengths if length is not None)
    is_data = all(
        isinstance(part.value, (int, float))
        for element in node.elts
        for part in tree.walk(element)
        if isinstance(part, ast.Constant)
    )
    plain = all(
        isinstance(part, (ast.Constant, ast.List, ast.Tuple, ast.UnaryOp, ast.USub, ast.Load))
        for part in tree.walk(node)
    )
    return len(node.elts) if is_data and plain else None
