"""One parsed file, with what is found in it on first use."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from collections.abc import Set as AbstractSet

from msgspec import Struct, field

from deepperf.records import Failure
from deepperf.semantics.names.flow import Flow
from deepperf.semantics.names.listed import Listing, calls_of_items, listings
from deepperf.semantics.names.reaching import find_flow
from deepperf.semantics.names.reads import Reads, as_calls, find_reads, products_as_calls
from deepperf.semantics.names.scopes import AttributeWrite, CallSite, Scope, Scopes, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.text.source import Source
from deepperf.semantics.text.syntax import line_starts
from deepperf.semantics.text.wording import may_multiply


class Module(Struct, eq=False):
    """One parsed file.

    Flows are made per scope on first use, and what methods write to objects per class. `getters`
    are the reads of properties that may lead to a framework, as `properties` finds them.
    """

    path: str
    source: Source
    scopes: Scopes
    failures: tuple[Failure, ...]
    flows: dict[int, Flow] = field(default_factory=dict)
    writes: dict[Scope, dict[str, list[AttributeWrite]]] = field(default_factory=dict)
    getters: tuple[dict[Scope, list[CallSite]], frozenset[str]] | None = None
    _all: list[Scope] | None = None
    _by_name: dict[str, list[CallSite]] | None = None
    _by_argument: dict[str | int, list[CallSite]] | None = None
    _looped: list[CallSite] | None = None
    _reads: Reads | None = None
    _reading: dict[str, list[CallSite]] = field(default_factory=dict)
    _products: dict[Scope, list[CallSite]] | None = None
    _listed: dict[str | int, list[Listing]] | None = None
    _called_items: dict[str, list[CallSite]] | None = None
    _starts: list[int] | None = None
    _renamings: dict[str, list[str]] | None = None
    _renamed: dict[str, list[str]] | None = None
    _heirs: dict[str, list[Scope]] | None = None

    @property
    def all_scopes(self) -> list[Scope]:
        """Every scope of the file, in the order of the text."""
        if self._all is None:
            self._all = self.scopes.module.walk()
        return self._all

    @property
    def starts(self) -> list[int]:
        """The offsets of the lines in the text."""
        if self._starts is None:
            self._starts = line_starts(self.source.text)
        return self._starts

    @property
    def renamings(self) -> Mapping[str, Collection[str]]:
        """For each name the names that are assigned it, wrapped or as it is, sorted."""
        if self._renamings is None:
            self._renamings = {}
            for new, old in sorted(self.scopes.renamed | self.scopes.wrapped):
                self._renamings.setdefault(old, []).append(new)
        return self._renamings

    def with_renamed(self, names: frozenset[str]) -> frozenset[str]:
        """Names, and those that imports and plain assignments of the module give them."""
        renamed = self._renaming(names)
        return names.union(renamed) if renamed else names

    def is_one_of(self, name: str | None, names: AbstractSet[str]) -> bool:
        """Whether a name is one of `names`, or the module calls what has such a name by it."""
        return name in names or any(
            new == name and old in names for new, old in self.scopes.renamed
        )

    def _renaming(self, names: AbstractSet[str]) -> set[str]:
        """The names that imports and plain assignments of the module give to some names."""
        if self._renamed is None:
            self._renamed = {}
            for new, old in self.scopes.renamed:
                self._renamed.setdefault(old, []).append(new)
        # A module has few names beside the thousands that may be asked about.
        return {new for old, given in self._renamed.items() if old in names for new in given}

    def flow(self, scope: Scope) -> Flow:
        flow = self.flows.get(id(scope))
        if flow is None:
            flow = self.flows[id(scope)] = find_flow(scope, self.scopes)
        return flow

    def calls_named(self, name: str) -> list[CallSite]:
        """The calls whose callee's last name is `name`."""
        return self._calls_by_name().get(name, [])

    def calls_of(self, names: AbstractSet[str]) -> Iterator[CallSite]:
        """The calls whose callee's last name is one of `names`, in alphabetical order of these."""
        by_name = self._calls_by_name()
        for name in sorted(name for name in by_name if name in names):
            yield from by_name[name]

    def calls_of_renamed(self, names: AbstractSet[str]) -> Iterator[CallSite]:
        """The same with the names that the module gives to what has one of `names`."""
        by_name, renamed = self._calls_by_name(), self._renaming(names)
        for name in sorted(name for name in by_name if name in names or name in renamed):
            yield from by_name[name]

    def reads_named(self, name: str) -> list[CallSite]:
        """The reads of attributes of this name, as calls of the property that each may be."""
        known = self._reading.get(name)
        if known is None:
            known = []
            if f".{name}" in self.source.text:
                self._reads = self._reads or find_reads(self.scopes)
                known = as_calls(self._reads, name, self.scopes)
            self._reading[name] = known
        return known

    @property
    def products(self) -> Mapping[Scope, list[CallSite]]:
        """What each scope writes as `a @ b`, as calls, the outermost of a statement first."""
        if self._products is None:
            self._products = {}
            if may_multiply(self.source.text):
                self._reads = self._reads or find_reads(self.scopes)
                for site in products_as_calls(self._reads, self.scopes):
                    self._products.setdefault(site.scope, []).append(site)
        return self._products

    def classes_below(self, name: str) -> list[Scope]:
        """The classes of the module with a base whose last name is `name`."""
        if self._heirs is None:
            self._heirs = {}
            for scope in self.scopes.module.children:
                bases = scope.node.bases if isinstance(scope.node, ast.ClassDef) else []
                for base in dict.fromkeys(map(last_name, bases)):
                    if base is not None:
                        self._heirs.setdefault(base, []).append(scope)
        return self._heirs.get(name, [])

    def listing(self, name: str | int) -> list[Listing]:
        """The lists, tuples and dicts with an item of this name, or made by calling it.

        Those with a lambda are asked for by its id.
        """
        if self._listed is None:
            self._listed = listings(self.scopes)
        return self._listed.get(name, [])

    def calls_of_items(self, name: str) -> list[CallSite]:
        """The calls of what is taken, by a loop or an index, from something of this name."""
        if self._called_items is None:
            self._called_items = calls_of_items(self.all_scopes)
        return self._called_items.get(name, [])

    @property
    def called_names(self) -> AbstractSet[str]:
        """The last names of all callees."""
        return self._calls_by_name().keys()

    @property
    def looped_calls(self) -> list[CallSite]:
        """The calls that stand in a loop or comprehension of their scope."""
        if self._looped is None:
            self._looped = [
                site
                for site in self.scopes.call_sites.values()
                if site.frames and site.scope.loops and site.loops
            ]
        return self._looped

    def _calls_by_name(self) -> dict[str, list[CallSite]]:
        if self._by_name is None:
            by_name: dict[str, list[CallSite]] = {}
            for site in self.scopes.call_sites.values():
                last = last_name(site.node.func)
                if last is not None:
                    by_name.setdefault(last, []).append(site)
            self._by_name = by_name
        return self._by_name

    def calls_given(self, function: Scope) -> list[CallSite]:
        """The calls with an argument that is the function, or has its last name."""
        if self._by_argument is None:
            by_argument: dict[str | int, list[CallSite]] = {}
            for site in self.scopes.call_sites.values():
                for argument in tree.arguments(site.node):
                    # Only what may be a function is ever looked for.
                    named = last_name(argument)
                    if named is not None:
                        by_argument.setdefault(named, []).append(site)
                    elif type(argument) is ast.Lambda:
                        by_argument.setdefault(id(argument), []).append(site)
            self._by_argument = by_argument
        by_name = self._by_argument.get(function.name, [])
        return [*by_name, *self._by_argument.get(id(function.node), [])]
