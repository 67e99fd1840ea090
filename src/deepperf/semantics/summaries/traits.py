"""What one operation does by itself, as far as the knowledge of libraries tells."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from deepperf.knowledge.schema import Fact, Trait
from deepperf.semantics.ir.table import Kind, Op
from deepperf.semantics.objects.classes import library_bases, line
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Origin, Place, UnitKey, What
from deepperf.semantics.program.program import Program

NO_TRAITS: frozenset[Trait] = frozenset()
ASKING = frozenset((Trait.PREDICTS, Trait.EVALUATES))
"""What runs a model of Keras as training does, and changes no weights."""
CallsByTrait = Mapping[Trait, Sequence[Place]]
_NO_CALLS: CallsByTrait = {}


def facts_of(program: Program, call: Place) -> tuple[Fact, ...]:
    """What is known of the library callables that a call may run."""
    return program.answers.ask(_facts_of, call, bottom=())


def _facts_of(program: Program, path: str, number: int, index: int) -> tuple[Fact, ...]:
    op = program.op((path, number, index))
    found: dict[str, Fact] = {}
    for origin in holds(program, (path, number, op.args[0])):
        if origin.what in (What.LIBRARY, What.METHOD):
            fact = program.fact(origin.name)
            if fact is not None:
                found[fact.name] = fact
        elif origin.what is What.CLASS:
            fact = _constructing(program, origin.place[:2])
            if fact is not None:
                found[fact.name] = fact
        elif origin.what is What.UNKNOWN:
            found |= {fact.name: fact for fact in _told(program, path, number, op)}
    return tuple(found[name] for name in sorted(found))


def _constructing(program: Program, owner: UnitKey) -> Fact | None:
    """What is known of making objects of a class that inherits the constructor of a library's.

    One that passes `**options` on takes the same keywords, perhaps at other positions.
    """
    is_own = False
    for key in line(program, owner):
        for index in program.unit(key).bindings.get("__init__", ()):
            if not _hands_options_on(program, key[0], program.op((*key, index))):
                return None
            is_own = True
    facts = (program.fact(name) for name in library_bases(program, owner))
    fact = next((one for one in facts if one is not None), None)
    if fact is None or not is_own:
        return fact
    return replace(fact, parameters=tuple([replace(p, position=None) for p in fact.parameters]))


def _hands_options_on(program: Program, path: str, definition: Op) -> bool:
    """Whether a constructor calls that of its base with all keywords that it does not know."""
    if definition.kind is not Kind.FUNCTION:
        return False
    unit = program.unit((path, definition.data))
    calls = (unit.ops[index] for index in unit.calls)
    return any("**" in op.data and unit.ops[op.args[0]].data == "__init__" for op in calls)


def _told(program: Program, path: str, number: int, op: Op) -> Iterator[Fact]:
    """What something unknown is that is called with keywords which nothing else has."""
    callee = program.op((path, number, op.args[0]))
    for keyword in op.data:
        fact = program.fact(program.knowledge.keywords.get(keyword, ""))
        if fact is not None:
            last = fact.name.rpartition(".")[2]
            if last == "__call__" or (callee.kind is Kind.ATTRIBUTE and callee.data == last):
                yield fact


def traits_of(program: Program, place: Place) -> frozenset[Trait]:
    """The traits of what a call may run, or of the library classes whose instance it calls."""
    return program.answers.ask(_traits_of, place, bottom=NO_TRAITS)


def _traits_of(program: Program, path: str, number: int, index: int) -> frozenset[Trait]:
    op = program.op((path, number, index))
    if op.kind is not Kind.CALL:
        return NO_TRAITS
    found = NO_TRAITS.union(*[fact.traits for fact in facts_of(program, (path, number, index))])
    held = holds(program, (path, number, op.args[0]))
    return found.union(*[call_traits(program, origin) for origin in held])


def call_traits(program: Program, origin: Origin) -> frozenset[Trait]:
    """The traits of calling an object of a library's class, or of one that inherits from it."""
    names: tuple[str, ...] = ()
    if origin.what is What.OBJECT:
        names = program.knowledge.ancestry(origin.name)
    elif origin.what is What.INSTANCE:
        names = library_bases(program, origin.place[:2])
    known = (program.knowledge.type(name) for name in names)
    return NO_TRAITS.union(*[one.call_traits for one in known if one is not None])


def surely_has(program: Program, call: Place, trait: Trait) -> bool:
    """Whether all that a call is known to run has a trait, and something does."""
    if trait not in traits_of(program, call):
        return False
    for origin in holds(program, (*call[:2], program.op(call).args[0])):
        fact = program.fact(origin.name) if origin.what in (What.LIBRARY, What.METHOD) else None
        if origin.what is What.CLASS:
            fact = _constructing(program, origin.place[:2])
        own = call_traits(program, origin) if fact is None else fact.traits
        if origin.what is not What.UNKNOWN and trait not in own:
            return False
    return True


def calls_in_unit(program: Program, key: UnitKey, traits: Collection[Trait]) -> Iterable[Place]:
    """The calls of a function, in its own body, that have one of some traits by themselves."""
    found = program.answers.ask(_unit_calls, key, bottom=_NO_CALLS)
    return _having(found, traits)


def calls_in_file(program: Program, path: str, traits: Collection[Trait]) -> Iterable[Place]:
    """The same for all functions of a file, in the order of the text."""
    found = program.answers.ask(_file_calls, (path,), bottom=_NO_CALLS)
    return _having(found, traits)


def _having(calls: CallsByTrait, traits: Collection[Trait]) -> Iterable[Place]:
    found = [calls[trait] for trait in traits if trait in calls]
    return found[0] if len(found) == 1 else sorted(set[Place]().union(*found))


def _unit_calls(program: Program, path: str, number: int) -> CallsByTrait:
    found: dict[Trait, list[Place]] = {}
    for index in program.unit((path, number)).calls:
        place = (path, number, index)
        for trait in traits_of(program, place):
            found.setdefault(trait, []).append(place)
    return found


def _file_calls(program: Program, path: str) -> CallsByTrait:
    found: dict[Trait, list[Place]] = {}
    for unit in program.table(path).units:
        own = program.answers.ask(_unit_calls, unit.key, bottom=_NO_CALLS)
        for trait, places in own.items():
            found.setdefault(trait, []).extend(places)
    return found
