"""Whether what a function needs is given by its callers, the same in each of their turns."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import kept
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.invariance.steadiness import (
    AROUND,
    STAYS,
    UNKNOWN,
    Needs,
    Steadiness,
    together,
)
from deepperf.semantics.invariance.steady import (
    all_steady,
    is_of_kind,
    of_chain,
    stands_in,
    steady,
)
from deepperf.semantics.invariance.varying import may_be_steady
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain, chain_of
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Object
from deepperf.semantics.writes import parameters, writes


def at_call(
    analysis: Analysis,
    needed: Needs,
    site: CallSite,
    target: callgraph.Target,
    region: Region,
) -> Steadiness:
    """Whether the arguments for the needed parameters are steady in the caller's region."""
    passed = callgraph.passed(analysis, site, target)
    given = {name: argument for name, (argument, _) in passed.items()}
    receiver = classes.receiver_name(target.function) if target.shift else None
    answers: list[Steadiness] = []
    for chain in sorted(needed):  # the order of asking may count where a bound is met
        if chain[0] == AROUND:
            # One call of the function around runs all turns.
            is_one = region.loop is not None and region.scope is target.function.parent
            if not is_one:
                answers.append(_from_maker(analysis, chain[1:], site, target, region))
            elif writes.written(analysis, chain[1:], region) is not Certainty.NO:
                return UNKNOWN
            continue
        argument: ast.expr | None = given.get(chain[0])
        if argument is not None and not _is_at_hand(analysis, chain[0], passed, site, target):
            if not _was_given_before(analysis, chain[0], site, target, region):
                answers.append(kept.given_before(analysis, chain[0], site, target, region))
            continue
        if argument is None and chain[0] == receiver:
            argument = _receiver(analysis, site, target)
            if argument is None:
                return UNKNOWN
        if argument is None and chain[0] != receiver:
            argument = callers.unpacked(analysis, site, chain[0])
        if argument is None:
            if callgraph.has_unpacked_arguments(site.node) or len(chain) > 1:
                return UNKNOWN
            continue  # the default, the same in each call
        answers.append(_argument(analysis, argument, chain[1:], region))
    return together(answers)


def varying_at_call(
    analysis: Analysis,
    site: CallSite,
    target: callgraph.Target,
    region: Region,
    varying: frozenset[str],
) -> frozenset[str]:
    """The parameters for which a call in a region gives something else in each turn of it."""
    passed = callgraph.passed(analysis, site, target)
    written = {id(one) for one in tree.arguments(site.node)}
    found = {
        name
        for name, (argument, _) in passed.items()
        if id(argument) in written and not may_be_steady(argument, region, varying)
    }
    own = classes.receiver_name(target.function) if target.shift else None
    if own is not None and own not in passed:
        receiver = _receiver(analysis, site, target)
        if receiver is None or not may_be_steady(receiver, region, varying):
            found.add(own)
    return frozenset(found)


def read_at_call(
    analysis: Analysis, needed: Needs, site: CallSite, target: callgraph.Target
) -> tuple[ast.expr, ...] | None:
    """The expressions that a call gives for chains of parameters; None where it hides some.

    What it leaves out has a default, and what tells only of a kind may be anything.
    """
    passed = callgraph.passed(analysis, site, target)
    given = {name: argument for name, (argument, _) in passed.items()}
    receiver = classes.receiver_name(target.function) if target.shift else None
    found: list[ast.expr] = []
    for chain in sorted(needed):  # the order of asking may count where a bound is met
        argument: ast.expr | None = given.get(chain[0])
        if argument is not None and passed[chain[0]][1] is not site.scope:
            return None
        if argument is None and chain[0] == receiver:
            argument = _receiver(analysis, site, target)
        elif argument is None and (item := callers.unpacked(analysis, site, chain[0])) is not None:
            argument = item
        elif (
            argument is None and len(chain) == 1 and not callgraph.has_unpacked_arguments(site.node)
        ):
            continue
        if argument is None:
            return None
        for attribute in chain[1:]:
            argument = ast.Attribute(argument, attribute, ast.Load())
        if not is_of_kind(argument):
            found.append(argument)
    return tuple(found)


def _is_at_hand(
    analysis: Analysis,
    name: str,
    passed: dict[str, tuple[ast.expr, Scope]],
    site: CallSite,
    target: callgraph.Target,
) -> bool:
    """Whether an argument stands in the function of the call, and is seen to stay as it is.

    What `partial` has given before, calls may change without being given it.
    """
    argument, scope = passed[name]
    if any(part is argument for part in tree.arguments(site.node)):
        return True
    return scope is site.scope and name not in parameters.touched(analysis, target.function)


def _was_given_before(
    analysis: Analysis, name: str, site: CallSite, target: callgraph.Target, region: Region
) -> bool:
    """Whether a function came with the argument, and leaves it as it is.

    Who has handed it on waits meanwhile.
    """
    function = site.node.func
    if not isinstance(function, ast.Name):
        return False
    definitions = values.definitions_of(analysis, function, region.scope)
    return (
        bool(definitions)
        and all(one.binding is Binding.PARAMETER for one in definitions)
        and name not in parameters.touched(analysis, target.function)
    )


def _from_maker(
    analysis: Analysis, chain: Chain, site: CallSite, target: callgraph.Target, region: Region
) -> Steadiness:
    """The same for a name of the function that made what is called, before the region."""
    function, maker = site.node.func, target.function.parent
    if not isinstance(function, ast.Name) or maker is None:
        return UNKNOWN
    definitions = values.definitions_of(analysis, function, region.scope)
    if definitions and all(one.binding is Binding.PARAMETER for one in definitions):
        return STAYS if _is_only_read(maker, chain[0], target.function) else UNKNOWN
    made = definitions[0].value if len(definitions) == 1 else None
    if not isinstance(made, ast.Call) or stands_in(definitions[0], region):
        return UNKNOWN
    making = callgraph.targets_of(
        analysis, values.evaluate(analysis, made.func, definitions[0].scope)
    )
    for one in making:
        argument = callgraph.bound_arguments(made, one).get(chain[0])
        if one.function is maker and definitions[0].scope is region.scope:
            if isinstance(argument, ast.Call):
                # It was made then and there, of what must not be written to either.
                return all_steady(analysis, tree.arguments(argument), region)
            if argument is not None:
                return _argument(analysis, argument, chain[1:], region)
            # A default, or what the maker alone has a name for.
            is_receiver = chain[0] == classes.receiver_name(maker)
            return UNKNOWN if is_receiver or callgraph.has_unpacked_arguments(made) else STAYS
    return UNKNOWN


def _is_only_read(maker: Scope, name: str, function: Scope) -> bool:
    """Whether who hands a function on hands on nothing by a name of its own that this reads.

    While a function runs that was given it, the one around it that made it waits.
    """
    if maker.kind is not ScopeKind.FUNCTION or name in maker.outer_names:
        return False
    handing = (site.node for site in maker.calls)
    given = ([getattr(one, "id", "") for one in tree.arguments(call)] for call in handing)
    return not any(function.name in names and name in names for names in given)


def _receiver(analysis: Analysis, site: CallSite, target: callgraph.Target) -> ast.expr | None:
    function = site.node.func
    if (
        isinstance(function, ast.Attribute)
        and function.attr == target.function.name
        and not kept.is_of_another(analysis, site, target)
    ):
        return function.value
    holder = kept.own_receiver(analysis, site, target)
    if holder is not None:
        return holder
    if not isinstance(target.receiver, Object):
        return None
    # An object has no site within its own methods: `self(x)`.
    own = classes.receiver_name(site.scope)
    is_own = isinstance(function, ast.Name) and function.id == own
    return function if is_own or target.receiver.site else None


def _argument(analysis: Analysis, argument: ast.expr, rest: Chain, region: Region) -> Steadiness:
    read: ast.expr = argument
    for attribute in rest:
        read = ast.Attribute(read, attribute, ast.Load())
    if not may_be_steady(read, region):
        return UNKNOWN
    if not rest or is_of_kind(read):
        return steady(analysis, read, region)
    chain = chain_of(argument)
    if chain is None:
        return UNKNOWN
    assert isinstance(read, ast.Attribute)
    return of_chain(analysis, read, (*chain, *rest), region)
