"""What an attribute of a class's instances is ever set to, where the text tells all of it.

Constructors set it, the body of the class does, and so do the calls that make instances of a data
class. What may be set in another way is unknown: a class that is handed to something which may
fill its fields from a file or a command line, a copy with another value, an assignment from
outside.
"""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.words import RECORD_COPIERS, RECORD_FIELDS, RECORDS
from deepperf.semantics.ir.table import Kind, Op, Unit
from deepperf.semantics.objects.classes import bases, is_own, line
from deepperf.semantics.objects.everywhere import attributes_set, calls_of
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Held, Place, UnitKey, What
from deepperf.semantics.objects.records import field_of
from deepperf.semantics.program.program import Program

Settings = frozenset[Place] | None
_NONE: Settings = frozenset()
_TESTS = frozenset(("builtins.isinstance", "builtins.issubclass"))
_FILLING = frozenset(("update", "setdefault"))
_NAMES = (Kind.CLASS, Kind.BINARY)
"""What takes a class and makes no instance: bases, and annotations as `X | None`."""


def settings(program: Program, owner: UnitKey, name: str) -> Settings:
    """The operations whose results an attribute is set to; None where it may be anything else."""
    return program.answers.ask(_settings, (*owner, name), bottom=_NONE)


def is_listed_only(program: Program, owner: UnitKey, name: str) -> bool:
    """Whether the body of a class lists an attribute, and nothing sets it once it is made."""
    is_listed = any(name in program.unit(key).bindings for key in line(program, owner))
    return (
        is_listed
        and _stored(program, owner, name) == _NONE
        and not _is_set_unseen(program, owner, name)
    )


def _stored(program: Program, owner: UnitKey, name: str) -> Settings:
    """What constructors set an attribute to; None where anything else may set it."""
    found: set[Place] = set()
    for place in attributes_set(program, name):
        unit = program.unit(place[:2])
        target, value = unit.ops[place[2]].args[:2]
        if _may_be(program, holds(program, (*unit.key, target)), owner):
            if unit.name != "__init__" or not is_own(unit, target):
                return None
            found.add((*unit.key, value))
    return frozenset(found)


def _settings(program: Program, path: str, number: int, name: str) -> Settings:
    owner = (path, number)
    found = _stored(program, owner, name)
    if found is None:
        return None
    kin = line(program, owner)
    listed = [key for key in kin if name in program.unit(key).bindings]
    if bool(found) is bool(listed) or _is_set_unseen(program, owner, name):
        return None
    if found:
        return found
    below = [key for key in _below(program, owner) if name in program.unit(key).bindings]
    bound = program.unit(listed[0]).bindings[name]
    if below or len(bound) != 1:
        return None
    default = _default(program, program.unit(listed[0]), bound[0])
    if not any(_is_record(program, key) for key in kin):
        return frozenset((default,))
    return _given(program, owner, name, default)


def _may_be(program: Program, held: Held, owner: UnitKey) -> bool:
    """Whether something may be an instance of a class, or of one above or below it."""
    for origin in held:
        if origin.what is What.UNKNOWN:
            return True
        if origin.what in (What.INSTANCE, What.CLASS):
            other = origin.place[:2]
            if owner in line(program, other) or other in line(program, owner):
                return True
    return False


def _below(program: Program, owner: UnitKey) -> tuple[UnitKey, ...]:
    from deepperf.semantics.callgraph.overrides import subclasses

    return subclasses(program, owner)


def _is_set_unseen(program: Program, owner: UnitKey, name: str) -> bool:
    """Whether an attribute may be set by what is told its name, or a copy has another value."""
    for word in ("setattr", "__setattr__"):
        for call in calls_of(program, word):
            unit, op = program.unit(call[:2]), program.op(call)
            said = [unit.ops[one] for one in op.args[1:3] if unit.ops[one].kind is Kind.CONSTANT]
            is_other = any(isinstance(one.data, str) and one.data != name for one in said)
            if not is_other and _is_passed(program, unit, op.args[1:2], owner):
                return True
    for word in RECORD_COPIERS:
        for call in calls_of(program, word):
            unit, op = program.unit(call[:2]), program.op(call)
            if name in op.data or "**" in op.data or _has_star(unit, op):
                receiver = unit.ops[op.args[0]].args[:1]
                if _is_passed(program, unit, (*receiver, *op.args[1:2]), owner):
                    return True
    return any(
        _is_passed(program, unit, operands, owner) and _is_filled(unit, made)
        for unit, operands, made in _namespaces(program)
    )


def _namespaces(program: Program) -> Iterator[tuple[Unit, tuple[int, ...], int]]:
    """Where code has all attributes of an object as a dict, that object, and the operation."""
    for word in ("vars", "__dict__"):
        for path in program.naming(word):
            for place in program.uses_of(word, path):
                unit, op = program.unit(place[:2]), program.op(place)
                if op.kind is Kind.ATTRIBUTE:
                    yield unit, op.args, place[2]
                for user in unit.uses(place[2]) if op.kind is Kind.NAME else ():
                    yield unit, unit.ops[user].args[1:], user
            for place in program.stores_of(word, path):
                yield program.unit(place[:2]), program.op(place).args[:1], place[2]


def _is_filled(unit: Unit, made: int) -> bool:
    """Whether attributes are set through the dict of them, or that is another from then on."""
    if unit.ops[made].kind is Kind.SET_ATTRIBUTE:
        return True
    users = [unit.ops[user] for user in unit.uses(made)]
    return any(
        op.data in _FILLING if op.kind is Kind.ATTRIBUTE else op.kind is Kind.SET_ITEM
        for op in users
    )


def _is_passed(program: Program, unit: Unit, operands: tuple[int, ...], owner: UnitKey) -> bool:
    return any(_may_be(program, holds(program, (*unit.key, one)), owner) for one in operands)


def _has_star(unit: Unit, op: Op) -> bool:
    return any(unit.ops[one].kind is Kind.STAR for one in op.args[1:])


def _is_record(program: Program, key: UnitKey) -> bool:
    """Whether a class has no constructor of its own but one that takes what its body lists."""
    unit = program.unit(key)
    parent = program.unit((unit.path, unit.parent))
    op = parent.ops[unit.definition]
    names = {base.name for base in bases(program, key)}
    for decorator in op.args[op.data[1] :]:
        made = parent.ops[decorator]
        callee = made.args[0] if made.kind is Kind.CALL else decorator
        names |= {origin.name for origin in holds(program, (*parent.key, callee))}
    return any(name.rpartition(".")[2] in RECORDS for name in names)


def _default(program: Program, unit: Unit, index: int) -> Place:
    """What `field(default=3)` or `field(default_factory=lambda: {})` says, or the value itself."""
    op = unit.ops[index]
    told = {"default", "default_factory"}.intersection(op.data) if op.kind is Kind.CALL else ()
    for name in told:
        callee = holds(program, (*unit.key, op.args[0]))
        if all(origin.name.rpartition(".")[2] in RECORD_FIELDS for origin in callee):
            operand: int = op.args[len(op.args) - len(op.data) + op.data.index(name)]
            made = unit.ops[operand]
            if name == "default":
                return (*unit.key, operand)
            if made.kind is Kind.FUNCTION:
                factory = program.unit((unit.path, made.data))
                if len(factory.returns) == 1:
                    return (*factory.key, factory.ops[factory.returns[0]].args[0])
    return (*unit.key, index)


def _given(program: Program, owner: UnitKey, name: str, default: Place) -> Settings:
    """What the calls that make instances pass for a field, or its default."""
    found: set[Place] = set()
    for key in (owner, *_below(program, owner)):
        is_plain = "__init__" in program.unit(key).bindings
        if is_plain or _makes_itself(program, key) or _has_other_name(program, key):
            return None
        for unit, class_, user in _uses_of_class(program, key):
            op = unit.ops[user]
            if op.kind is Kind.CALL and op.args[0] == class_:
                passed = _passed(program, key, unit, op)
                if passed is None:
                    return None
                found.add((*unit.key, passed[name]) if name in passed else default)
            elif op.kind is Kind.CALL and _callees(program, unit, op) & RECORD_FIELDS:
                found.add(default)  # `field(default_factory=Config)`
            elif not (_only_names(program, unit, class_, op) or _is_default(program, key, op)):
                return None
    return frozenset(found) or None


def _passed(program: Program, key: UnitKey, unit: Unit, op: Op) -> dict[str, int] | None:
    """The operands that a call passes for fields; None where some can't be told."""
    first = len(op.args) - len(op.data)
    if "**" in op.data or _has_star(unit, op) or len({*op.args[1:first]}) < first - 1:
        return None
    passed: dict[str, int] = dict(zip(op.data, op.args[first:], strict=True))
    for operand in op.args[1:first]:
        field = field_of(program, key, unit, op, operand)
        if field is None:
            return None
        passed[field] = operand
    return passed


def _uses_of_class(program: Program, key: UnitKey) -> Iterator[tuple[Unit, int, int]]:
    """The operations that take a class as an operand."""
    for unit, class_ in _reads(program, key):
        for user in unit.uses(class_):
            yield unit, class_, user


def _reads(program: Program, key: UnitKey) -> Iterator[tuple[Unit, int]]:
    from deepperf.semantics.callgraph.uses import names_of_class

    for place in names_of_class(program, key):
        yield program.unit(place[:2]), place[2]


def _has_other_name(program: Program, key: UnitKey) -> bool:
    """Whether a variable or attribute of another name is the class: `kind = Config`."""
    own = program.unit(key).name
    return any(
        class_ in bound
        for unit, class_ in _reads(program, key)
        for name, bound in unit.bindings.items()
        if name not in program.names_for(own, unit.path)
    )


def _callees(program: Program, unit: Unit, op: Op) -> frozenset[str]:
    held = holds(program, (*unit.key, op.args[0]))
    return frozenset(origin.name.rpartition(".")[2] for origin in held)


def _only_names(program: Program, unit: Unit, class_: int, op: Op) -> bool:
    """Whether nothing makes an instance of a class by what takes it."""
    if op.kind is Kind.ITEM:
        return class_ == op.args[1]  # `Optional[Config]`
    if op.kind is Kind.PARAMETER:
        return class_ == op.args[0] != op.args[1]
    if op.kind is Kind.CALL:
        held = holds(program, (*unit.key, op.args[0]))
        return bool(held) and all(origin.name in _TESTS for origin in held)
    return op.kind in _NAMES


def _is_default(program: Program, key: UnitKey, op: Op) -> bool:
    """Whether an operation reads what the body of a class lists: `Config.epochs`."""
    if op.kind is not Kind.ATTRIBUTE:
        return False
    bodies = [program.unit(one) for one in line(program, key)]
    bound = [body.ops[one] for body in bodies for one in body.bindings.get(op.data, ())]
    return bool(bound) and all(one.kind is not Kind.FUNCTION for one in bound)


def _makes_itself(program: Program, key: UnitKey) -> bool:
    """Whether a method of the class gets the class, and so may make instances of any arguments."""
    body = program.unit(key)
    bound = (body.ops[index] for indices in body.bindings.values() for index in indices)
    return any(
        "classmethod" in body.plain_decorators(op) for op in bound if op.kind is Kind.FUNCTION
    )
