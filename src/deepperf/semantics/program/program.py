"""The program as the new floors see it: tables of files, and the answers about them."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterator
from functools import cached_property

from msgspec import Struct, field

from deepperf.knowledge.lookup import Knowledge
from deepperf.knowledge.schema import Fact
from deepperf.semantics import bridge
from deepperf.semantics.ir.lower import lower
from deepperf.semantics.ir.table import Kind, Op, Table, Unit
from deepperf.semantics.objects.origin import Place, UnitKey
from deepperf.semantics.program.answers import Answers, Ground, Grounds

Uses = dict[str, list[tuple[int, int]]]


class _File(Struct, eq=False):
    """A file's table and where its names stand, as (unit, operation)."""

    table: Table
    units: list[Unit]
    whole: int = 0  # the bits of what answers rest on: all of it, and parts
    parts: int = 0
    uses: Uses = field(default_factory=dict)  # names and attributes that are read
    attribute_stores: Uses = field(default_factory=dict)
    renamed: dict[str, set[str]] = field(default_factory=dict)  # old name -> names imports give


class Parameters(enum.Enum):
    """What a parameter holds: what all callers pass, or only what its function says of it."""

    EXPANDED = "expanded"
    SYMBOLIC = "symbolic"


class Program:
    """One project. What it keeps are pure functions of the sources."""

    def __init__(self, project: bridge.Project, ground: Grounds | None = None) -> None:
        self.project = project
        self.parameters = Parameters.EXPANDED
        self.answers = Answers(self, ground)
        self._files: dict[str, _File] = {}

    @cached_property
    def symbolic(self) -> Program:
        """The same program with symbolic parameters: what the call graph is made of.

        Who calls a function would else rest on what its callers' callers pass, and each answer
        on all others.
        """
        twin = Program(self.project, self.answers.ground)
        twin.parameters = Parameters.SYMBOLIC
        twin.symbolic = twin
        twin._files = self._files
        return twin

    def edited(
        self, project: bridge.Project, changed: Collection[str], words: Collection[str]
    ) -> Program:
        """The program of a project in which some files have other texts, and `words` stand in
        other files: tables and answers that rest on neither are taken over.
        """
        ground = self.answers.ground
        reached = 0
        for path in changed:
            reached |= ground.bit(Ground.FILE, path) | ground.bit(Ground.PARTS, path)
        for word in words:
            reached |= ground.known_bit(Ground.WORD, word)
        after = Program(project, ground)
        after._files = {path: kept for path, kept in self._files.items() if path not in changed}
        after.answers.take_over(self.answers, reached)
        if self.symbolic is not self:
            after.symbolic.answers.take_over(self.symbolic.answers, reached)
        return after

    @cached_property
    def knowledge(self) -> Knowledge:
        return bridge.knowledge(self.project)

    def fact(self, name: str) -> Fact | None:
        """What is known of the library's callable with this canonical name."""
        return self.knowledge.fact(name)

    @property
    def paths(self) -> Collection[str]:
        """The paths of all sources."""
        return self.project.sources.keys()

    def table(self, path: str) -> Table:
        """The table of a file, for what rests on all of it."""
        found = self._file(path)
        self.answers.grounds |= found.whole
        return found.table

    def units(self, path: str) -> list[Unit]:
        """The units of a file, the module first, for what rests on names or parts of it."""
        return self._file(path).units

    def unit(self, key: UnitKey) -> Unit:
        found = self._files.get(key[0])  # as `_file` does: nothing is asked as often
        if found is None:
            return self._file(key[0]).units[key[1]]
        self.answers.grounds |= found.parts
        return found.units[key[1]]

    def op(self, place: Place) -> Op:
        return self.unit(place[:2]).ops[place[2]]

    def _file(self, path: str) -> _File:
        found = self._files.get(path)
        if found is None:
            text = bridge.text(self.project, path)
            found = _indexed(lower(path, bridge.tree(self.project, path), text))
            found.whole = self.answers.ground.bit(Ground.FILE, path)
            found.parts = self.answers.ground.bit(Ground.PARTS, path)
            self._files[path] = found
        self.answers.grounds |= found.parts
        return found

    def uses_of(self, name: str, path: str) -> Iterator[Place]:
        """The operations of a file that read a variable or attribute of this name."""
        for unit, op in self._file(path).uses.get(name, ()):
            yield (path, unit, op)

    def stores_of(self, attribute: str, path: str) -> Iterator[Place]:
        """The operations of a file that set an attribute of this name."""
        for unit, op in self._file(path).attribute_stores.get(attribute, ()):
            yield (path, unit, op)

    def names_for(self, name: str, path: str) -> set[str]:
        """A name and those that imports of the file give it."""
        return {name} | self._file(path).renamed.get(name, set())

    def naming(self, name: str) -> list[str]:
        """The files in whose text a name stands, in order."""
        self.answers.note_word(name)
        return sorted(bridge.naming(self.project, name))

    @cached_property
    def library_method_names(self) -> frozenset[str]:
        """The names of all methods that are known of library types."""
        types = self.knowledge.types
        split = (name.rpartition(".") for name in self.knowledge.facts)
        return frozenset(last for owner, _, last in split if owner in types)

    def definitions_of(self, name: str) -> int:
        """How many functions of the project have a name, as far as the files that say it tell."""
        return self.answers.ask(_definitions_of, (name,), bottom=0)

    def enclosing_class(self, unit: Unit) -> UnitKey | None:
        """The class in whose body a function stands, if any."""
        if unit.parent < 0 or unit.kind != "function":
            return None
        parent = self._file(unit.path).units[unit.parent]
        return parent.key if parent.kind == "class" else None


def program_of(project: bridge.Project) -> Program:
    """The program of a project, made once."""
    found = project.kept.get(Program)
    if not isinstance(found, Program):
        found = project.kept[Program] = Program(project)
    return found


def _indexed(table: Table) -> _File:
    found = _File(table, table.units)
    uses, stores = found.uses, found.attribute_stores
    for unit in table.units:
        number = unit.number
        for index, op in enumerate(unit.ops):
            kind = op.kind
            if kind is Kind.NAME or kind is Kind.ATTRIBUTE:
                uses.setdefault(op.data, []).append((number, index))
            elif kind is Kind.SET_ATTRIBUTE:
                stores.setdefault(op.data, []).append((number, index))
            elif kind is Kind.IMPORT:
                uses.setdefault(op.data.rpartition(".")[2], []).append((number, index))
        for name, bound in unit.bindings.items():
            for index in bound:
                op = unit.ops[index]
                if op.kind is Kind.IMPORT:
                    last = op.data.rpartition(".")[2]
                    if last != name:
                        found.renamed.setdefault(last, set()).add(name)
    return found


def _definitions_of(program: Program, name: str) -> int:
    units = (unit for path in program.naming(name) for unit in program.units(path))
    return sum(unit.kind == "function" and unit.name == name for unit in units)
