"""Which fields of an object are constants for JAX, where its class lists them."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.words import RECORD_FIELDS, STATIC_FIELDS
from deepperf.semantics.ir.table import Kind, Op, Unit
from deepperf.semantics.objects.classes import line
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program


def static_fields(program: Program, place: Place) -> frozenset[str]:
    """The names of such fields of the instances that a value may be."""
    owners = {o.place[:2] for o in holds(program, place) if o.what is What.INSTANCE}
    return frozenset(name for owner in owners for name in _named(program, owner))


def _named(program: Program, owner: UnitKey) -> Iterator[str]:
    for key in line(program, owner):
        body = program.unit(key)
        for name, bound in body.bindings.items():
            ops = [body.ops[index] for index in bound if index >= 0]
            if any(op.kind is Kind.CALL and _is_static(body, op) for op in ops):
                yield name


def _is_static(body: Unit, op: Op) -> bool:
    """Whether `field(…)` says so: by an option, or by an entry of what it calls metadata."""
    callee = body.ops[op.args[0]]
    if callee.kind not in (Kind.NAME, Kind.ATTRIBUTE) or callee.data not in RECORD_FIELDS:
        return False
    named = zip(op.data, op.args[len(op.args) - len(op.data) :], strict=True)
    return any(_says(body, name, body.ops[index]) for name, index in named)


def _says(body: Unit, name: str, given: Op) -> bool:
    if given.kind is Kind.DICT:
        keys = [body.ops[key].data if key >= 0 else None for key in given.data]
        return any(
            _says(body, key, body.ops[index])
            for key, index in zip(keys, given.args, strict=True)
            if isinstance(key, str)
        )
    return given.kind is Kind.CONSTANT and STATIC_FIELDS.get(name) is given.data
