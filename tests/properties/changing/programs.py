"""Programs made by chance, whose loops look at things again and again, and change some of them.

What real programs do with arrays is listed in the vocabularies beside this file: arrays are changed
in place, by another name, in lists and objects that hold them, by functions, by generators, and by
libraries of which nothing is known.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAMES = ("a", "b", "c")
BODY = "BODY\n"
STATEMENTS = (
    "if i % 2:\n{inner}",
    "if flag:\n{inner}",
    "for j in range(2):\n{inner}",
    "try:\n{inner}\nfinally:\n    pass",
    "if i == 1:\n    continue\nfor j in range(1):\n{inner}",
    "if flag:\n{inner}\nelse:\n{other}",
    "for one in rows[:2]:\n{inner}",
    "while total > 3:\n    total -= 1\n{inner}",
)
DEEPEST = 2


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What programs about arrays of one framework are made of.

    `head` comes first; `inside` and `outside` hold the loop in a function and without one; what
    `library` defines can be imported as `outside`, and is not shown to deepperf. The others are
    lists of lines, in which a name in braces stands for something drawn: `{e}` for an array, `{t}`
    for one to be changed, `{n}` and `{m}` for names.
    """

    head: str
    library: str
    inside: str
    outside: str
    before: tuple[str, ...]
    headers: tuple[str, ...]
    arrays: tuple[str, ...]
    derived: tuple[str, ...]
    targets: tuple[str, ...]
    looks: tuple[str, ...]
    changes: tuple[str, ...]


def vocabulary(framework: str) -> Vocabulary:
    read = tomllib.loads((Path(__file__).parent / f"{framework}.toml").read_text("utf-8"))

    def lines(name: str) -> tuple[str, ...]:
        return tuple(line.replace(r"\n", "\n") for line in read[name].splitlines())

    return Vocabulary(
        head=read["head"],
        library=read["library"],
        inside=read["inside"],
        outside=read["outside"],
        before=lines("before"),
        headers=lines("headers"),
        arrays=lines("arrays"),
        derived=lines("derived"),
        targets=lines("targets"),
        looks=lines("looks"),
        changes=lines("changes"),
    )


def program(seed: int, words: Vocabulary) -> str:
    chance = random.Random(seed)
    before = [chance.choice(words.before) for _ in range(chance.randint(0, 2))]
    turn = [_statement(chance, words, 0) for _ in range(chance.randint(2, 5))]
    loop = chance.choice(words.headers) + "\n" + _indented("\n".join(turn))
    lines = "\n".join([*before, loop])
    if chance.random() < 0.6:
        return words.head + words.inside.replace(BODY, _indented(lines).lstrip() + "\n")
    return words.head + words.outside.replace(BODY, lines + "\n")


def _statement(chance: random.Random, words: Vocabulary, depth: int) -> str:
    kind = chance.random()
    if kind < 0.45:
        return f"out{chance.randint(1, 99)} = {_filled(chance, words, words.looks, 0)}"
    if kind < 0.55:
        return f"kept.append({_filled(chance, words, words.looks, 0)})"
    if kind < 0.82 or depth == DEEPEST:
        return _filled(chance, words, words.changes, 0)
    inner, other = (_indented(_statement(chance, words, depth + 1)) for _ in range(2))
    return chance.choice(STATEMENTS).format(inner=inner, other=other)


def _filled(
    chance: random.Random, words: Vocabulary, templates: tuple[str, ...], depth: int
) -> str:
    template = chance.choice(templates)
    return template.format_map(_drawn(chance, words, depth) if "{" in template else {})


def _drawn(chance: random.Random, words: Vocabulary, depth: int) -> Mapping[str, str]:
    name, other = chance.choice(NAMES), chance.choice(NAMES)
    target = chance.choice((name, name, chance.choice(words.targets)))
    return {"e": _array(chance, words, depth), "f": other, "t": target, "n": name, "m": other}


def _array(chance: random.Random, words: Vocabulary, depth: int) -> str:
    kind = chance.random()
    if kind < 0.5 or depth == DEEPEST:
        return chance.choice(NAMES)
    return _filled(chance, words, words.arrays if kind < 0.75 else words.derived, depth + 1)


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))
