"""Which files import which, directly or through others, found for all files in one pass.

Each answer is kept as a number with a bit per file: sets of names would take hundreds of times
the memory where thousands of files import what thousands import.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct


class Importing(Struct, frozen=True):
    """For each imported file the bits of those that import it, and of those that do it directly.

    `paths` and `place` say which bit is whose.
    """

    paths: tuple[str, ...]
    place: Mapping[str, int]
    importing: Mapping[str, int]
    directly: Mapping[str, int]

    def count(self, path: str) -> int:
        """How many files import one, directly or through others."""
        return self.importing.get(path, 0).bit_count()

    def importers(self, paths: Collection[str]) -> frozenset[str]:
        """The files that import one of `paths`, directly or through others."""
        bits = 0
        for path in paths:
            bits |= self.importing.get(path, 0)
        return frozenset(self._named(bits))

    def is_importer(self, path: str, imported: str) -> bool:
        """Whether one file imports another, directly or through others."""
        return bool(self.importing.get(imported, 0) >> self.place[path] & 1)

    def are_beside(self, path: str, other: str) -> bool:
        """Whether a file that imports the first, somehow, imports the other directly."""
        return bool(self.importing.get(path, 0) & self.directly.get(other, 0))

    def _named(self, bits: int) -> Iterator[str]:
        digits = f"{bits:b}"[::-1]
        at = digits.find("1")
        while at >= 0:
            yield self.paths[at]
            at = digits.find("1", at + 1)


def importing(paths: Collection[str], direct: Mapping[str, Collection[str]]) -> Importing:
    """Of all files, and the direct importers of each, what `Importing` tells."""
    place = {path: number for number, path in enumerate(paths)}
    directly = {path: sum(1 << place[other] for other in direct[path]) for path in direct}
    found: dict[str, int] = {}
    for circle in _circles(direct):
        bits = 0
        for path in circle:
            bits |= directly.get(path, 0)
            for importer in direct.get(path, ()):
                bits |= found.get(importer, 0)
        found.update(dict.fromkeys(circle, bits))
    return Importing(tuple(paths), place, found, directly)


def _circles(edges: Mapping[str, Collection[str]]) -> Iterator[list[str]]:
    """The files that lead to each other, together, behind all that they lead to.

    Tarjan's strongly connected components, without recursion: chains may be long.
    """
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: dict[str, None] = {}
    for start in edges:
        stack = [] if start in index else [(start, iter(edges[start]))]
        while stack:
            path, rest = stack[-1]
            if path not in index:
                index[path] = lowest[path] = len(index)
                waiting[path] = None
            for following in rest:
                if following not in index:
                    stack.append((following, iter(edges.get(following, ()))))
                    break
                if following in waiting:
                    lowest[path] = min(lowest[path], index[following])
            else:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    lowest[above] = min(lowest[above], lowest[path])
                if lowest[path] == index[path]:
                    circle = []
                    while path in waiting:
                        circle.append(waiting.popitem()[0])
                    yield circle
