"""Programs made by chance, whose loops do a few things of a list in each turn."""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FORMS = (
    "{before}\nfor i in range(turns):\n{turn}\n",
    "{before}\ni = 0\nwhile i < turns:\n    i += 1\n{turn}\n",
    "\n\ndef main(flag=flag):\n{inner}\n    for i in range(turns):\n{deeper}\n\n\nmain()\n",
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What programs are made of.

    `head` comes first, and `before` in front of the loop; `turns` are what a turn may do. What
    `library` defines can be imported as `outside`, and is not shown to deepperf; so can `turns`
    and `flag`, how often the loop turns and something true.
    """

    head: str
    library: str
    before: str
    turns: tuple[str, ...]


def vocabulary(name: str) -> Vocabulary:
    read = tomllib.loads((Path(__file__).parent / f"{name}.toml").read_text("utf-8"))
    turns = (line.replace(r"\n", "\n") for line in read["turns"].splitlines())
    return Vocabulary(read["head"], read["library"], read["before"].rstrip(), tuple(turns))


def program(seed: int, words: Vocabulary) -> str:
    chance = random.Random(seed)
    turn = "\n".join(chance.choice(words.turns) for _ in range(chance.choice((1, 1, 2, 3))))
    return words.head + chance.choice(FORMS).format(
        before=words.before,
        inner=_indented(words.before),
        turn=_indented(turn),
        deeper=_indented(_indented(turn)),
    )


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))
