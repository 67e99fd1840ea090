"""The symptoms, causes and stages in which problems and rules are described."""

from __future__ import annotations

import functools
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_CODEBOOK = Path(__file__).with_name("codebook.toml")
_GROUPED_KEYS = frozenset({"id", "group", "title", "definition", "not_to_confuse"})
_STAGE_KEYS = frozenset({"id", "title", "definition"})


class CodebookError(ValueError):
    """The codebook lacks something or says something twice."""


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the codebook.

    `group` ties terms of a kind together ("time", "memory"; "api", "model") and is empty for
    stages; `not_to_confuse` says which neighbouring term to choose when.
    """

    id: str
    title: str
    definition: str
    group: str = ""
    not_to_confuse: str = ""


@dataclass(frozen=True, slots=True)
class Codebook:
    """All terms by their ids, each kind in the order of the codebook."""

    symptoms: Mapping[str, Term]
    causes: Mapping[str, Term]
    stages: Mapping[str, Term]
    source: str


@functools.cache
def load_codebook() -> Codebook:
    """The codebook that comes with deepperf."""
    return parse_codebook(_CODEBOOK.read_text(encoding="utf-8"))


def parse_codebook(text: str) -> Codebook:
    """The codebook written in `text`. Raises `CodebookError` naming the wrong term."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CodebookError(f"codebook.toml: {error}") from None
    return Codebook(
        symptoms=_terms(data, "symptom", _GROUPED_KEYS),
        causes=_terms(data, "cause", _GROUPED_KEYS),
        stages=_terms(data, "stage", _STAGE_KEYS),
        source=data.get("source", ""),
    )


def _terms(data: Mapping[str, Any], kind: str, keys: frozenset[str]) -> Mapping[str, Term]:
    terms: dict[str, Term] = {}
    for number, table in enumerate(data.get(kind, ()), start=1):
        name = table.get("id", f"number {number}")
        if missing := sorted(keys - table.keys()):
            raise CodebookError(f"codebook.toml: {kind} {name}: no `{missing[0]}`")
        if unknown := sorted(table.keys() - keys):
            raise CodebookError(f"codebook.toml: {kind} {name}: unknown key `{unknown[0]}`")
        if name in terms:
            raise CodebookError(f"codebook.toml: {kind} {name} is defined twice")
        terms[name] = Term(**table)
    return terms
