"""What the files of a project do with a name, whatever object or function it names there."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.origin import Place
from deepperf.semantics.program.program import Program


def attributes_read(program: Program, name: str) -> Iterator[Place]:
    """The operations that read an attribute of this name."""
    for path in program.naming(name):
        for place in program.uses_of(name, path):
            if program.op(place).kind is Kind.ATTRIBUTE:
                yield place


def attributes_set(program: Program, name: str) -> Iterator[Place]:
    """The operations that set an attribute of this name."""
    for path in program.naming(name):
        yield from program.stores_of(name, path)


def calls_of(program: Program, name: str) -> Iterator[Place]:
    """The calls of variables and methods of this name."""
    for path in program.naming(name):
        for place in program.uses_of(name, path):
            unit = program.unit(place[:2])
            for user in unit.uses(place[2]):
                op = unit.ops[user]
                if op.kind is Kind.CALL and op.args[0] == place[2]:
                    yield (*place[:2], user)
