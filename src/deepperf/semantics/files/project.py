"""The program under analysis: its files, what they import of each other, its versions.

A `Project` is a value: the same sources give the same answers. What it keeps beside them
(parsed modules, the import graph) are pure functions of the sources, made on first use.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from deepperf.knowledge.lookup import (
    Knowledge,
    known_companions,
    known_frameworks,
    load_knowledge,
)
from deepperf.knowledge.schema import Trait
from deepperf.records import Failure, Location
from deepperf.semantics.files.importing import Importing, importing
from deepperf.semantics.files.module import Module
from deepperf.semantics.files.texts import Texts
from deepperf.semantics.files.words import Words, first_letters, is_word, may_have, words_in
from deepperf.semantics.frameworks.clues import Clues, clues_in
from deepperf.semantics.frameworks.versions import VersionRange, nearest, own_versions
from deepperf.semantics.names.structure import find_scopes
from deepperf.semantics.text import wording
from deepperf.semantics.text.room import with_room_if_needed
from deepperf.semantics.text.source import Source
from deepperf.semantics.text.syntax import parse
from deepperf.semantics.text.unreached import leave_out_unreached

if TYPE_CHECKING:
    from deepperf.semantics.files.outline import Outline

_DEFINED = (re.compile(r"def[ \t]+(\w+)"), re.compile(r"class[ \t]+(\w+)"))
_PROPERTY = re.compile(r"@property\s+def[ \t]+(\w+)")
_FRAMEWORKS = frozenset(("tensorflow", "keras", "tf_keras", "torch", "jax", "numpy", "scipy"))
_MARKS = {
    "tensorflow": ("tensorflow", "keras"),
    "jax": ("jax", "flax", "equinox"),
    "transformers": ("transformers", "accelerate", "open_clip", "encode_text"),
}


MOST_IMPORTERS = 300
"""Files that import a module above which those that do it indirectly are not searched."""


class Project:
    """Sources by path (posix, relative to one root), and the versions the project admits.

    `nearer` holds, by folder, what metadata below the root say: the nearest folder at or above
    a file that speaks of a framework decides for the file, before what `versions` hold for all.
    """

    def __init__(
        self,
        sources: Mapping[str, Source],
        versions: Mapping[str, VersionRange] | None = None,
        nearer: Mapping[str, Mapping[str, VersionRange]] | None = None,
    ) -> None:
        self.sources = sources
        self.versions: Mapping[str, VersionRange] = versions or {}
        self.nearer: Mapping[str, Mapping[str, VersionRange]] = nearer or {}
        self._modules: dict[str, Module] = {}
        self.kept: dict[type, object] = {}  # what floors above make of the project, once
        self._inside: dict[str, Mapping[str, VersionRange]] = {}
        self._parsed = 0  # characters of the texts of these
        self._found: dict[tuple[str, str], str | None] = {}
        self._imports: dict[str, frozenset[str]] = {}
        self._neighbours_naming: dict[tuple[str, str], tuple[str, ...]] = {}
        self._defined: dict[str, frozenset[str]] = {}
        self._properties: dict[str, frozenset[str]] = {}
        self.texts = Texts(sources)
        self._own_properties: dict[str, list[str]] = {}
        self._having: dict[str, frozenset[str]] = {}
        self._having_any: dict[frozenset[str], tuple[frozenset[str], list[str]]] = {}
        self._naming: dict[tuple[str, str], tuple[str, ...]] = {}
        self.outlines: dict[str, Outline] = {}
        self._clues: dict[str, Mapping[str, Clues]] = {}
        self.aliases: dict[tuple[str, int], frozenset[str]] = {}
        self.file_sets: dict[frozenset[str], frozenset[str]] = {}
        self.reaching: dict[tuple[str, str, int], tuple[bool, frozenset[str]]] = {}
        self.star_sources: dict[str, frozenset[str]] = {}
        self.stars: dict[str, tuple[str, ...]] = {}
        self.star_names: dict[tuple[str, str], bool] = {}
        self.framework_heads: frozenset[str] | None = None
        self._mentioning: dict[tuple[re.Pattern[str], ...], frozenset[str]] = {}
        self._around: dict[frozenset[str], frozenset[str]] = {}
        self._named: dict[str, frozenset[str]] = {}
        self._triggers: dict[frozenset[Trait], frozenset[str]] = {}

    def version(self, path: str, framework: str) -> VersionRange | None:
        """What is said of a framework for a file: by an option, a script's own metadata, the
        nearest at or above it, or its cells.
        """
        told = nearest(self.nearer, path, framework) or self.versions.get(framework)
        source = self.sources.get(path)
        if source is None or (told is not None and not told.path):
            return told
        if path not in self._inside:
            self._inside[path] = own_versions(path, source.text, source.installs)
        own = self._inside[path].get(framework)
        return told or own if source.installs else own or told

    def clues(self, path: str, framework: str) -> Clues | None:
        """What the names that a file uses say of a framework's version."""
        if path not in self._clues:
            self._clues[path] = clues_in(self.sources[path].text)
        return self._clues[path].get(framework)

    @cached_property
    def knowledge(self) -> Knowledge:
        """What is known of the frameworks that any source of the project mentions."""
        wanted = {
            framework
            for framework in (*known_frameworks(), *known_companions())
            if any(
                mark.encode() in self._words.joined for mark in _MARKS.get(framework, (framework,))
            )
        }
        return load_knowledge(frozenset(wanted))

    def mentioning(
        self, words: tuple[re.Pattern[str], ...], among: frozenset[str] | None = None
    ) -> frozenset[str]:
        """The files in whose text one of the words is found; of `among` if that is given.

        The same words are always looked for among the same files.
        """
        known = self._mentioning.get(words)
        if known is None:
            files = frozenset(self.sources) if among is None else among
            found = {
                path
                for word in words
                for path in self._having_piece(first_letters(word)) & files
                if word.search(self.sources[path].text)
            }
            known = self._mentioning[words] = frozenset(found)
        return known

    def near(self, words: tuple[re.Pattern[str], ...]) -> frozenset[str]:
        """Files that mention one of the words or import such a file, and all that these import."""
        return self.around(self.mentioning(words))

    def around(self, paths: frozenset[str]) -> frozenset[str]:
        """Files, those that import one of them directly, and all that these import."""
        known = self._around.get(paths)
        if known is None:
            seen = set(paths)
            for path in paths:
                seen |= self._direct_importers.get(path, set())
            pending = list(seen)
            while pending:
                for target in self.imports(pending.pop()) - seen:
                    seen.add(target)
                    pending.append(target)
            known = self._around[paths] = frozenset(seen)
        return known

    def trigger_names(self, traits: frozenset[Trait]) -> frozenset[str]:
        """The last names of all callables with one of `traits`."""
        known = self._triggers.get(traits)
        if known is None:
            known = self._triggers[traits] = self.knowledge.trigger_names(traits)
        return known

    def named(self, key: str, find: Callable[[], frozenset[str]]) -> frozenset[str]:
        """Names, or paths, that follow from what is known of frameworks, or from all texts."""
        known = self._named.get(key)
        if known is None:
            known = self._named[key] = find()
        return known

    def module(self, path: str) -> Module:
        """The parsed module at `path`; a file that does not parse gives what is left of it."""
        module = self._modules.pop(path, None)
        if module is not None:
            self._modules[path] = module
        else:
            source = self.sources[path]
            syntax = parse(source.text)
            leave_out_unreached(syntax.tree)
            failures = tuple(
                Failure(Location(path, line, column, line, column), message)
                for line, column, message in syntax.failures
            )
            try:
                scopes = with_room_if_needed(lambda: find_scopes(syntax.tree, path))
            except RecursionError:
                scopes = find_scopes(ast.Module([], []), path)
                start = Location(path, 1, 1, 1, 1)
                failures = (*failures, Failure(start, "nested too deeply to be analysed"))
            module = Module(
                path,
                source,
                scopes,
                failures,
            )
            self._modules[path] = module
            self._parsed += len(source.text)
        return module

    def may_call(self, path: str, name: str) -> bool:
        """Whether a file may call something so named, read without parsing it."""
        if path in self._modules:
            return name in self._modules[path].called_names
        return self.texts.may_call(path, name)

    def names_defined(self, path: str) -> frozenset[str]:
        """The names of functions and classes that a file defines, read without parsing it."""
        known = self._defined.get(path)
        if known is None:
            text = self.sources[path].text
            known = frozenset(name for kind in _DEFINED for name in kind.findall(text))
            self._defined[path] = known
        return known

    def properties(self, path: str) -> frozenset[str]:
        """The names of properties that a file, or one that it imports, defines, by their texts."""
        known = self._properties.get(path)
        if known is None:
            known = self._properties[path] = frozenset(self._own(path)).union(
                *map(self._own, self.imports(path))
            )
        return known

    def _own(self, path: str) -> list[str]:
        """The names of the properties of a file's classes."""
        known = self._own_properties.get(path)
        if known is None:
            text = self.sources[path].text
            known = _PROPERTY.findall(text) if "@property" in text else []
            self._own_properties[path] = known
        return known

    def forget_modules(self, keep: int) -> None:
        """Drop the modules used longest ago until texts of `keep` characters are left.

        They are parsed again if asked for. Only for when no view of the project is in use:
        scopes and what stands in them refer to each other, and the ties are cut so that memory
        is given back at once.
        """
        while self._parsed > keep:
            module = self._modules.pop(next(iter(self._modules)))
            self._parsed -= len(module.source.text)
            for scope in module.all_scopes:
                for ties in (scope.calls, scope.loops, scope.children, scope.attribute_writes):
                    ties.clear()
                scope.item_writes.clear()

    def find(self, dotted: str, importer: str) -> str | None:
        """The path of the project's module that `import dotted` means in `importer`, if any.

        A framework's name means the framework, in its own sources too: what it does is known.
        """
        if dotted.partition(".")[0] in _FRAMEWORKS:
            return None
        folder = posixpath.dirname(importer)
        key = (dotted, folder)
        if key not in self._found:
            self._found[key] = self._search(dotted, folder)
        return self._found[key]

    @cached_property
    def _heads(self) -> frozenset[str]:
        """Every name that a top-level import of a module of the project can begin with."""
        return frozenset(
            part.removesuffix(".py") for path in self.sources for part in path.split("/")
        )

    def _search(self, dotted: str, folder: str) -> str | None:
        if dotted.startswith("."):
            name = dotted.lstrip(".")
            for _ in range(len(dotted) - len(name) - 1):
                folder = posixpath.dirname(folder)
            return self._at(posixpath.join(folder, name.replace(".", "/")))
        if dotted.partition(".")[0] not in self._heads:
            return None
        relative = dotted.replace(".", "/")
        while True:
            base = f"{folder}/" if folder else ""
            found = self._at(f"{base}{relative}")
            if found is None and "src" in self._heads:
                found = self._at(f"{base}src/{relative}")
            if found is not None or not folder:
                return found
            parent = posixpath.dirname(folder)
            if parent == folder:
                return None
            folder = parent

    def _at(self, stem: str) -> str | None:
        path = f"{stem}.py"
        if path in self.sources:
            return path
        path = f"{stem}/__init__.py" if stem and not stem.endswith("/") else f"{stem}__init__.py"
        return path if path in self.sources else None

    def imports(self, path: str) -> frozenset[str]:
        """The project's modules that the file imports directly, read without parsing it."""
        known = self._imports.get(path)
        if known is None:
            known = self._imports[path] = frozenset(self._read_imports(path))
        return known

    def _read_imports(self, path: str) -> Iterator[str]:
        heads = self._heads
        for dotted in wording.imported_modules(self.sources[path].text):
            if (dotted.strip(".") and dotted.rpartition(".")[2] not in heads) or (
                dotted[:1] != "." and dotted.partition(".")[0] not in heads
            ):
                continue
            target = self.find(dotted, path)
            if target is not None and target != path:
                yield target

    @cached_property
    def _direct_importers(self) -> Mapping[str, set[str]]:
        direct: dict[str, set[str]] = {}
        for path in self.sources:
            for target in self.imports(path):
                direct.setdefault(target, set()).add(path)
        return direct

    @cached_property
    def _words(self) -> Words:
        return words_in(self.sources)

    def naming(self, name: str) -> Collection[str]:
        """The files in whose text the word `name` stands."""
        return self._words.files.get(name.encode("utf-8", "surrogatepass"), ())

    def _having_piece(self, piece: str) -> frozenset[str]:
        """The files that may have a piece of text; for a word, or a part of one, they have it."""
        known = self._having.get(piece)
        if known is None:
            known = self._having[piece] = may_have(self._words, piece)
        return known

    def has_any(self, path: str, pieces: frozenset[str]) -> bool:
        """Whether one of some pieces of text stands in a file, as a part of words too."""
        known = self._having_any.get(pieces)
        if known is None:
            whole = frozenset[str]().union(*map(self._having_piece, filter(is_word, pieces)))
            known = self._having_any[pieces] = (whole, [p for p in pieces if not is_word(p)])
        whole, others = known
        return path in whole or any(
            path in self._having_piece(piece) and piece in self.sources[path].text
            for piece in others
        )

    def importers_naming(self, path: str, name: str) -> tuple[str, ...]:
        """The files that import `path`, directly or not, and contain the word `name`, sorted."""
        known = self._naming.get((path, name))
        if known is None:
            importers = self._importers_worth_reading(path)
            known = tuple(sorted(importers.intersection(self.naming(name)))) if importers else ()
            self._naming[path, name] = known
        return known

    def _importers_worth_reading(self, path: str) -> frozenset[str]:
        """The files that import a module; for what nearly everything uses, directly or none."""
        if self._importing.count(path) <= MOST_IMPORTERS:
            return self._importing.importers((path,))
        direct = self._direct_importers.get(path, ())
        return frozenset(direct) if len(direct) <= MOST_IMPORTERS else frozenset()

    def neighbours_naming(self, path: str, name: str) -> tuple[str, ...]:
        """Further files that a file importing `path` imports directly, naming `name`, sorted.

        Objects of a class in `path` may be handed to them, though they do not import it.
        """
        known = self._neighbours_naming.get((path, name))
        if known is None:
            links = self._importing
            known = self._neighbours_naming[path, name] = tuple(
                sorted(
                    other
                    for other in (self.naming(name) if links.count(path) else ())
                    if links.are_beside(path, other)
                    and not links.is_importer(other, path)
                    and other != path
                )
            )
        return known

    @cached_property
    def _importing(self) -> Importing:
        return importing(self.sources, self._direct_importers)

    def importers(self, paths: frozenset[str]) -> frozenset[str]:
        """The files that import one of `paths`, directly or through others."""
        return self._importing.importers(paths)
