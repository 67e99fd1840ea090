"""Texts to try things on: real programs, and what is left of them after random damage."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from deepperf.rules.registry import load_rules

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```python[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHORT_ENOUGH = 8_000
"""Characters of a specimen: a property looks at hundreds of them."""
MORE = int(os.environ.get("MORE_EXAMPLES", "1"))
"""How many times as many examples to try; `nox -s properties` sets it."""


def tried(examples: int) -> settings:
    """The same examples in every run, so that a failure is there again tomorrow."""
    return settings(
        max_examples=examples * MORE,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@cache
def programs() -> tuple[str, ...]:
    """The demo, the test programs and the examples on rule pages, in a fixed order."""
    folders = (ROOT / "demo", ROOT / "tests" / "programs")
    paths = sorted(path for folder in folders for path in folder.rglob("*.py"))
    texts = [path.read_text("utf-8") for path in paths]
    for loaded in load_rules():
        texts += FENCE.findall(loaded.page.read_text("utf-8"))
    return tuple(sorted({text for text in texts if 0 < len(text) <= SHORT_ENOUGH}))


JUNK = (
    *("\0", "\f", "\x0b", "\x1a", "\ufeff", "\ud800", "é", "\u2028", "\x85", "𝒳", "\r", "\\\n"),
    *("(", ")", "[", "]", "{", "}", '"', "'", '"""', "'''", "f'{", "}'", ":", ";", ",", "\t"),
    *(" = ", " == ", "*", "**", "@", "->", ":=", "...", "lambda: ", "await ", "yield ", "async "),
    *("print 'x'\n", "exec 'x'\n", "raise E, 'x'\n", "0777", "10L", "`x`", "<>", "ur'x'"),
    *("\nelse:\n", "\nfinally:\n", "\nexcept E, e:\n", "\nmatch x:\n case 1: pass\n"),
    *("global x\n", "nonlocal x\n", "del x\n", "import *\n", "from . import *\n", "return\n"),
    *(
        "# deepperf: ignore\n",
        "# deepperf: ignore[",
        "# -*- coding: latin-1 -*-\n",
        "type X = int\n",
    ),
)
WRAPPERS = (
    "for i in range(n):\n{}",
    "while True:\n{}",
    "def f(self, x=f, *a, **k):\n{}",
    "class A(A):\n{}",
    "try:\n{}\nexcept* E:\n    pass",
    "with tf.GradientTape() as x, x as x:\n{}",
    "if x:\n{}",
    "async def f():\n{}",
)

Damage = Callable[[str, str, float, float, int], str]


def _drop(text: str, _: str, begin: float, length: float, __: int) -> str:
    start = int(begin * len(text))
    return text[:start] + text[start + int(length * length * len(text)) :]


def _cut(text: str, _: str, begin: float, __: float, ___: int) -> str:
    return text[: int(begin * len(text))]


def _sow(text: str, _: str, begin: float, __: float, pick: int) -> str:
    start = int(begin * len(text))
    return text[:start] + JUNK[pick % len(JUNK)] + text[start:]


def _splice(text: str, other: str, begin: float, length: float, _: int) -> str:
    lines, more = text.splitlines(keepends=True), other.splitlines(keepends=True)
    start = int(begin * len(lines))
    return "".join((*lines[:start], *more[: int(length * len(more)) + 1], *lines[start:]))


def _swap(text: str, _: str, first: float, second: float, __: int) -> str:
    lines = text.splitlines(keepends=True)
    if lines:
        one, two = int(first * len(lines)), int(second * len(lines))
        lines[one], lines[two] = lines[two], lines[one]
    return "".join(lines)


def _shift(text: str, _: str, begin: float, length: float, pick: int) -> str:
    lines = text.splitlines(keepends=True)
    start = int(begin * len(lines))
    end = start + int(length * (len(lines) - start)) + 1
    blanks = ("    ", "\t", " ", "")[pick % 4]
    lines[start:end] = [blanks + (line if blanks else line.lstrip()) for line in lines[start:end]]
    return "".join(lines)


def _rename(text: str, other: str, first: float, second: float, _: int) -> str:
    old, new = re.findall(r"\b[^\W\d]\w*\b", text), re.findall(r"\b[^\W\d]\w*\b", other)
    if not old or not new:
        return text
    name = old[int(first * len(old))]
    return re.sub(rf"\b{name}\b", new[int(second * len(new))], text)


def _wrap(text: str, _: str, begin: float, length: float, pick: int) -> str:
    lines = text.splitlines()
    start = int(begin * len(lines))
    end = start + int(length * (len(lines) - start)) + 1
    inner = "\n".join("    " + line for line in lines[start:end])
    wrapped = WRAPPERS[pick % len(WRAPPERS)].replace("{}", inner)
    return "\n".join((*lines[:start], wrapped, *lines[end:])) + "\n"


def _renew_lines(text: str, _: str, __: float, ___: float, pick: int) -> str:
    return text.replace("\n", ("\r\n", "\r", "\n\n", "\n\f")[pick % 4])


DAMAGES: tuple[Damage, ...] = (
    *(_drop, _cut, _sow, _splice, _swap, _shift, _rename, _wrap, _renew_lines),
)
CLEAN: tuple[Damage, ...] = (_splice, _swap, _rename, _wrap)


@st.composite
def damaged(
    draw: st.DrawFn, damages: Sequence[Damage] = DAMAGES, most: int = 5, least: int = 1
) -> str:
    """A real program after some random damage."""
    share = st.floats(0, 1, exclude_max=True)
    text = draw(st.sampled_from(programs()))
    for _ in range(draw(st.integers(least, most))):
        damage = draw(st.sampled_from(damages))
        other = draw(st.sampled_from(programs()))
        text = damage(text, other, draw(share), draw(share), draw(st.integers(0, 1000)))
    return text[: 2 * SHORT_ENOUGH]
