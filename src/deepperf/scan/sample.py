"""Draws hits to be read by a person, spread over the packages."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

from deepperf.scan.package import Hit

LINES_BEFORE = 25
LINES_AFTER = 12


def draw(hits: Iterable[Hit], rule: str, count: int, seed: int) -> tuple[Hit, ...]:
    """Up to `count` hits of `rule`, equally many from each package as far as they go.

    The same hits, count and seed give the same draw.
    """
    source = random.Random(seed)
    packages: dict[tuple[str, str], list[Hit]] = {}
    for hit in sorted(hit for hit in hits if hit.rule == rule):
        packages.setdefault((hit.package, hit.version), []).append(hit)
    piles = [source.sample(pile, len(pile)) for pile in packages.values()]
    source.shuffle(piles)
    drawn: list[Hit] = []
    while len(drawn) < count and (piles := [pile for pile in piles if pile]):
        drawn.extend(pile.pop() for pile in piles[: count - len(drawn)])
    return tuple(sorted(drawn))


def excerpt(hit: Hit, folder: Path) -> tuple[tuple[int, str], ...]:
    """Numbered source lines around a hit of the package in `folder`; none if unreadable."""
    try:
        text = (folder / hit.path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    lines = text.split("\n")
    first = max(1, hit.line - LINES_BEFORE)
    last = min(len(lines), hit.line + LINES_AFTER)
    return tuple((number, lines[number - 1].rstrip("\r")) for number in range(first, last + 1))
