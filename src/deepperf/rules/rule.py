"""What a rule declares, and how its checks say what they are asked about."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any, Generic, TypeVar

from msgspec import Struct, field

from deepperf.fixes.apply import imports_first
from deepperf.fixes.positions import parsed
from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Fix, Level, Role, Share, Step
from deepperf.semantics import query
from deepperf.semantics.view import Call, FileView, Loop, Spot

Subject = TypeVar("Subject")

LONGEST_SKETCH = 8
"""Lines."""


class Saves(enum.Enum):
    """What the fix of a rule saves: work, or that one thing waits while another works."""

    WORK = "work"
    WAITING = "waiting"


class Rule(Struct, frozen=True):
    """The declaration of one rule; its name and topic come from its folders.

    `cause`, `symptoms` and `stage` are ids of `taxonomy/codebook.toml`; `frameworks` names
    those in which the smell exists; `until` maps a framework to the version that made the
    advice pointless (exclusive), where one did for all uses. `saves` tells by what a gain of its
    fix is seen.
    """

    module: str
    cause: str
    symptoms: tuple[str, ...]
    stage: str
    level: Level
    frameworks: tuple[str, ...]
    until: Mapping[str, str] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()
    saves: Saves = Saves.WORK

    @property
    def name(self) -> str:
        return self.module.split(".")[-2].replace("_", "-")

    @property
    def topic(self) -> str:
        return self.module.split(".")[-3]

    def finding(
        self,
        at: Spot
        | query.Call
        | query.File
        | query.Function
        | query.Loop
        | query.Value
        | query.Compilation,
        message: str,
        remedy: str,
        path: tuple[Step, ...] = (),
        fix: Fix | None = None,
        guarded: Fix | None = None,
        framework: str = "",
        level: Level | None = None,
        related: tuple[Step, ...] = (),
        estimate: float = 0.0,
        cause: Spot | query.Call | None = None,
        sketch: str = "",
    ) -> Finding:
        """A finding of this rule at `at`, rated down in tests and examples.

        `level` is given where it is worth less than the rule's findings mostly are, `cause`
        where what is to be mended stands elsewhere, and may be found in several ways. `sketch`
        shows some lines of code where no fix can be made; `guarded` is the fix with a guard rail.
        """
        role = at.file.role
        return Finding(
            location=at.location,
            rule=self.name,
            message=message,
            remedy=remedy,
            level=min(level or self.level, self.level) if role is Role.SOURCE else Level.NOTE,
            role=role,
            source_line=at.source_line,
            path=path,
            framework=framework or at.framework,
            fix=_ordered(fix),
            guarded=_ordered(guarded),
            related=related,
            sketch=sketch if _can_be_read(sketch) else "",
            estimate=float(estimate),
            basis=estimate.basis if isinstance(estimate, Share) else None,
            cause=None if cause is None else cause.location,
        )


def _ordered(fix: Fix | None) -> Fix | None:
    return None if fix is None else Fix(fix.title, imports_first(fix.edits), fix.safety)


def _can_be_read(sketch: str) -> bool:
    """Whether it is short Python: what it quotes may be long, or shortened within its brackets."""
    return 0 < len(sketch.splitlines()) <= LONGEST_SKETCH and parsed(sketch) is not None


class Check(Struct, Generic[Subject], frozen=True):
    """A function of a rule with what it wants to be asked about.

    `traits` empty means every subject of its kind.
    """

    kind: type[Subject]
    traits: frozenset[Trait]
    run: Callable[[Subject], Iterable[Finding]]

    def __call__(self, subject: Subject) -> Iterable[Finding]:
        return self.run(subject)


def on_call(*traits: Trait) -> Callable[[Callable[[Call], Iterator[Finding]]], Check[Call]]:
    """Ask the function about each call whose callee has one of `traits`."""
    return lambda run: Check(Call, frozenset(traits), run)


def on_loop(run: Callable[[Loop], Iterator[Finding]]) -> Check[Loop]:
    """Ask the function about each loop and comprehension."""
    return Check(Loop, frozenset(), run)


def on_file(run: Callable[[FileView], Iterator[Finding]]) -> Check[FileView]:
    """Ask the function once about each file."""
    return Check(FileView, frozenset(), run)


def each_call(*traits: Trait) -> Callable[[Callable[[query.Call], Iterator[Finding]]], Check[Any]]:
    """Ask the function about each call that has one of `traits` by itself."""
    return lambda run: Check(query.Call, frozenset(traits), run)


def each_loop(run: Callable[[query.Loop], Iterator[Finding]]) -> Check[query.Loop]:
    """Ask the function about each loop and comprehension."""
    return Check(query.Loop, frozenset(), run)


def each_function(run: Callable[[query.Function], Iterator[Finding]]) -> Check[query.Function]:
    """Ask the function about each function, lambda, class body and module."""
    return Check(query.Function, frozenset(), run)


def each_file(run: Callable[[query.File], Iterator[Finding]]) -> Check[query.File]:
    """Ask the function once about each file."""
    return Check(query.File, frozenset(), run)


def subjects(check: Check[Any], file: query.File) -> Iterable[object]:
    """What of a file a check is asked about."""
    if check.kind is query.Call:
        return file.calls(*check.traits)
    if check.kind is query.Loop:
        return file.loops()
    return file.functions() if check.kind is query.Function else (file,)


def checks_of(module: ModuleType) -> tuple[Check[object], ...]:
    """The checks that a rule's module defines, in the order of its text."""
    return tuple(value for value in vars(module).values() if isinstance(value, Check))
