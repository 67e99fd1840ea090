"""What is worth trying: fixes of findings in files that ran, and opportunities in these files."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from deepperf.check.select import UNUSED_SUPPRESSION
from deepperf.dynamic.join import Checked, Outcome
from deepperf.fixes.apply import apply_edits, compatible
from deepperf.fixes.positions import parsed
from deepperf.prove.losses import Expected, Losses, saved_by_fixes, saved_by_offers
from deepperf.prove.offer import Machine, Offer, Quantity, name_of, opportunities
from deepperf.records import Edit, Failure, Finding, Level, Safety
from deepperf.rules.registry import load_rules
from deepperf.rules.rule import Saves

if TYPE_CHECKING:
    from deepperf.check.survey import Start
    from deepperf.prove.runs import Change
    from deepperf.semantics.text.source import Source

FOUND = 0.15
"""What the fix of a finding is taken to save of the function around it, where neither its rule nor
a signal tells."""
WARNED = 0.3
"""The same for a finding that is more than a note."""
NOT_SEEN = 0.1
"""What part of that is expected where the watched run was not seen."""
UNLIKELY = 0.04
"""What is expected to save less, is unlikely to help."""
SMALL_SHARE = 0.1
"""What part of another's allowance for error the unlikely gets."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change to one file: the fixes of one rule, or one opportunity.

    `name` is that of the rule or opportunity; `lines` are where it stands; `safety` is what the
    rule says of its fix, "" for an opportunity, of which nobody claims anything; `expected` is the
    part of the time that may be saved: it decides what is tried first; `is_known` that it rests on
    what the watched run took there. `starting` are seconds that it costs in each run.
    """

    name: str
    title: str
    path: str
    lines: tuple[int, ...]
    edits: tuple[Edit, ...]
    quantity: Quantity = Quantity.CPU
    safety: str = ""
    expected: float = FOUND
    starting: float = 0.0
    is_known: bool = False

    @property
    def place(self) -> str:
        return f"{self.path}:{self.lines[0]}"


def from_findings(
    findings: Sequence[tuple[str, Finding]], watched: Sequence[Checked], losses: Losses
) -> Iterator[Candidate]:
    """A candidate for each rule and file; what the watched run refutes is tried last."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for path, finding in findings:
        if finding.fix is not None and finding.rule != UNUSED_SUPPRESSION:
            groups.setdefault((finding.rule, path), []).append(finding)
    rules = (loaded.rule for loaded in load_rules({rule for rule, _ in groups}))
    waiting = {rule.name for rule in rules if rule.saves is Saves.WAITING}
    for (rule, path), group in groups.items():
        fixes = {id(f.fix): f for f in group}
        chosen = [fixes[id(fix)] for fix in compatible([f.fix for f in group if f.fix])]
        made = [f.fix for f in chosen if f.fix is not None]
        edits = tuple(dict.fromkeys(edit for fix in made for edit in fix.edits))
        if not edits:
            continue
        may = _expected(path, chosen, watched, losses, findings)
        is_safe = all(fix.safety is Safety.SAFE for fix in made)
        yield Candidate(
            name=rule,
            title=made[0].title,
            path=path,
            lines=tuple(sorted({f.location.line for f in chosen})),
            edits=edits,
            quantity=Quantity.WALL if rule in waiting else Quantity.CPU,
            safety=(Safety.SAFE if is_safe else Safety.UNSAFE).value,
            expected=may.saved,
            is_known=may.is_known,
        )


def _expected(
    path: str,
    chosen: Sequence[Finding],
    watched: Sequence[Checked],
    losses: Losses,
    findings: Sequence[tuple[str, Finding]],
) -> Expected:
    lines = {finding.location.line for finding in chosen}
    rule = chosen[0].rule
    file = os.path.join(losses.top, path)
    said = [c for c in watched if c.rule == rule and c.line in lines and c.file == file]
    if said and all(one.outcome is Outcome.REFUTED for one in said):
        return Expected(0.0, is_known=True)
    level = max(finding.level for finding in chosen)
    least = FOUND if level is Level.NOTE else WARNED
    base = max(least, *(finding.estimate for finding in chosen))
    return saved_by_fixes(losses, path, chosen, base, findings)


def from_opportunities(
    start: Start,
    paths: Iterable[str],
    machine: Machine,
    losses: Losses,
    wanted: Iterable[ModuleType] | None = None,
) -> Iterator[Candidate]:
    """The opportunities in files of a project."""
    from deepperf.check.fresh import project_in, sources_of
    from deepperf.check.survey import survey
    from deepperf.semantics.query import file_of

    project = project_in(start, sources_of(start), survey(start).metadata)
    modules = [*(opportunities() if wanted is None else wanted)]
    for path in paths:
        if path not in project.sources:
            continue
        file = file_of(project, path)
        for module in modules:
            yield from _together(module, path, module.offers(file, machine), losses)


def _together(
    module: ModuleType, path: str, offers: Iterable[Offer], losses: Losses
) -> Iterator[Candidate]:
    """What one opportunity offers in one file, as one candidate."""
    found = [*offers]
    if found:
        lines = tuple(sorted({offer.line for offer in found}))
        may = saved_by_offers(losses, path, lines, module.TOUCHES, module.SAVES)
        yield Candidate(
            name=name_of(module),
            title=found[0].title,
            path=path,
            lines=lines,
            edits=tuple(dict.fromkeys(edit for offer in found for edit in offer.edits)),
            quantity=module.QUANTITY,
            expected=may.saved,
            is_known=may.is_known,
            starting=getattr(module, "STARTING", 0.0),
        )


def weighed(
    candidates: Iterable[Candidate], sources: Mapping[str, Source], reached: Mapping[str, set[int]]
) -> Iterator[Candidate]:
    """What stands in functions that the watched run was not seen in, is expected to save little,
    unless the run told what is lost there.

    `reached` are lines that surely ran, by file; of others nothing is known.
    """
    for one in candidates:
        lines = _functions(sources[one.path].text) if one.path in sources else ()
        ran = reached.get(one.path, set())
        around = [max((r for r in lines if n in r), key=lambda r: r.start, default=None)
                  for n in one.lines]  # fmt: skip
        was_seen = one.is_known or any(
            within is None or not ran.isdisjoint(within[1:]) for within in around
        )
        yield one if was_seen else replace(one, expected=one.expected * NOT_SEEN)


def _functions(text: str) -> tuple[range, ...]:
    """The lines of each function."""
    tree = parsed(text)
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)] if tree else []
    return tuple(range(node.lineno, (node.end_lineno or node.lineno) + 1) for node in nodes)


def ranked(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The most promising first; of two that make the same change, one.

    How it is seen and what it takes to start, is what the opportunity says.
    """
    found: dict[tuple[str, tuple[Edit, ...]], Candidate] = {}
    for one in sorted(candidates, key=lambda c: (-c.expected, c.path, c.lines, c.name)):
        place = one.path, tuple(sorted(one.edits))
        same = found.setdefault(place, one)
        known = one if not one.safety else same
        found[place] = replace(same, quantity=known.quantity, starting=known.starting)
    return tuple(found.values())


def shares(candidates: Sequence[Candidate]) -> list[float]:
    """Which part of the allowance for false wins each gets, as one part of so many."""
    weights = [SMALL_SHARE if one.expected < UNLIKELY else 1.0 for one in candidates]
    return [sum(weights) / weight for weight in weights]


def together(candidates: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Those that can be made at once: each that changes no text that an earlier one changes.

    Two may insert at the same place: whole statements, or arguments with their names.
    """
    chosen: list[Candidate] = []
    for one in candidates:
        taken = {edit for other in chosen if other.path == one.path for edit in other.edits}
        if not any(_clash(edit, other) for edit in one.edits for other in taken - {edit}):
            chosen.append(one)
    return tuple(chosen)


def _clash(one: Edit, other: Edit) -> bool:
    return one.start < other.end and other.start < one.end


def change_of(candidates: Sequence[Candidate], sources: Mapping[str, Source]) -> Change:
    """The files as the candidates leave them. Raises ValueError where that cannot be."""
    from deepperf.check.sources import written
    from deepperf.prove.runs import Change

    edits: dict[str, dict[Edit, None]] = {}
    for one in candidates:
        edits.setdefault(one.path, {}).update(dict.fromkeys(one.edits))
    files = {}
    for path, made in edits.items():
        text = apply_edits(sources[path].text, made)
        if parsed(text) is None:
            raise ValueError(f"{path} would not parse")
        files[path] = written(sources[path], text)
    return Change(files)


def reached_files(root: Path, reached: Iterable[str], copy: Path) -> tuple[str, ...]:
    """Files of the copy that ran, by their paths from the root; notebooks are none."""
    top = os.path.join(copy, "")
    inside = {path[len(top) :] for path in reached if path.startswith(top)}
    return tuple(sorted(path for path in inside if (root / path).is_file()))


def texts_of(root: Path, paths: Iterable[str]) -> dict[str, Source]:
    """The sources of files that can be read."""
    from deepperf.check.sources import read_bytes, read_text

    found = {}
    for path in paths:
        data = read_bytes(os.fspath(root), path)
        source = data if isinstance(data, Failure) else read_text(path, data)
        if not isinstance(source, Failure):
            found[path] = source
    return found
