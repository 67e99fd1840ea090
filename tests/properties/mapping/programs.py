"""Programs made by chance, which map the elements of a dataset and then batch the results.

What functions of elements do is listed in `maps.toml`, line by line: arithmetic, reductions along
axes counted from either side, shapes, pictures, texts, labels, helpers that do or do not care.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAPPED = "dataset.map("
BATCHED = "mapped.batch(4)"


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the programs are made of.

    `head` comes first; what `library` defines can be imported as `outside`, and is not shown to
    deepperf. The others are lists of lines, in which `{x}` and `{y}` stand for the data and label.
    """

    head: str
    library: str
    sources: tuple[str, ...]
    data: tuple[str, ...]
    label: tuple[str, ...]
    both: tuple[str, ...]
    text: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """How a function names what it is given, and what it may return."""

    parameters: str
    begins: tuple[str, ...]
    x: str
    y: str | None
    returns: tuple[str, ...]


DICT = 'e["x"]', 'e["y"]'
ALONE = Element("x", (), "x", None, ("return x", "return x", "return x, x", 'return {"a": x}'))
PAIR = Element(
    "x, y",
    (),
    "x",
    "y",
    (
        "return x, y",
        "return x, y",
        "return x",
        'return {"a": x}, y',
        "return (x, y), y",
        "return y",
        "return [x], y",
        "return [x, x]",
    ),
)
KEPT = Element(
    "e",
    ("e = dict(e)",),
    *DICT,
    ("return e", 'return e["x"], e["y"]', "return {k: v for k, v in e.items()}"),
)
TAKEN = Element(
    "e",
    ("e = dict(e)", 'x = e["x"]', 'y = e["y"]'),
    "x",
    "y",
    ("return x, y", 'return {"x": x, "y": y}', 'e["x"] = x\nreturn e', 'return {**e, "x": x}'),
)


def vocabulary() -> Vocabulary:
    read = tomllib.loads((Path(__file__).parent / "maps.toml").read_text("utf-8"))

    def lines(name: str) -> tuple[str, ...]:
        return tuple(line.replace(r"\n", "\n") for line in read[name].splitlines())

    return Vocabulary(
        head=read["head"],
        library=read["library"],
        sources=lines("sources"),
        data=lines("data"),
        label=lines("label"),
        both=lines("both"),
        text=lines("text"),
    )


def program(seed: int, words: Vocabulary) -> str:
    """A program whose `batched` is the dataset of batches of mapped elements."""
    chance = random.Random(seed)
    source = chance.choice(words.sources)
    element = chance.choice((KEPT, TAKEN)) if "{" in source else PAIR if "(" in source else ALONE
    data = words.text if "texts" in source else words.data
    lines = list(element.begins)
    for _ in range(chance.choice((1, 1, 2, 2, 3, 4))):
        kind = chance.random() if element.y else 1
        listed = words.label if kind < 0.2 else words.both if kind < 0.3 else data
        lines.append(chance.choice(listed).format(x=element.x, y=element.y))
    lines.append(chance.choice(element.returns))
    body = "\n".join("    " + line for line in "\n".join(lines).split("\n"))
    return (
        f"{words.head}\n\ndef change({element.parameters}):\n{body}\n\n\n"
        f"dataset = tf.data.Dataset.from_tensor_slices({source})\n"
        f"mapped = {MAPPED}change)\nbatched = {BATCHED}\n"
    )


def of_batches(text: str) -> str:
    """The program that batches first, and maps the batches."""
    return text.replace(MAPPED, "dataset.batch(4).map(").replace(BATCHED, "mapped")
