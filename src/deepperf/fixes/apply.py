"""Applies edits, and fixes until nothing is left to fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from deepperf.fixes.positions import parsed
from deepperf.records import Edit, Finding, Fix, Safety

ROUNDS = 30


class Fixed(Struct, frozen=True):
    """The text after fixing, the findings mended, and those whose fix had to be left out."""

    text: str
    mended: tuple[Finding, ...]
    dropped: tuple[Finding, ...]


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """`text` with all `edits` made. Raises ValueError if two overlap or one lies outside."""
    parts: list[str] = []
    position = 0
    for edit in sorted(set(edits), key=_rank):
        if edit.start < position or not edit.start <= edit.end <= len(text):
            raise ValueError(f"an edit at {edit.start} overlaps another or lies outside the text")
        parts += (text[position : edit.start], edit.text)
        position = edit.end
    return "".join((*parts, text[position:]))


def imports_first(edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """The edits, those first that insert an import: at the same place it goes before the rest."""
    return tuple(sorted(edits, key=lambda edit: not _is_import(edit)))


def _rank(edit: Edit) -> tuple[int, int, bool, str]:
    return edit.start, edit.end, not _is_import(edit), edit.text


def _is_import(edit: Edit) -> bool:
    return edit.start == edit.end and edit.text.lstrip().startswith(("import ", "from "))


def edits_between(before: str, after: str) -> tuple[Edit, ...]:
    """Edits that turn one text into the other, each within lines that differ."""
    from difflib import SequenceMatcher

    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    starts = [0]
    for row in old:
        starts.append(starts[-1] + len(row))
    edits = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        pairs = [((i1, i2), (j1, j2))]
        if i2 - i1 == j2 - j1:
            pairs = [((i1 + k, i1 + k + 1), (j1 + k, j1 + k + 1)) for k in range(i2 - i1)]
        for (begin, end), (new_begin, new_end) in pairs:
            was, now = "".join(old[begin:end]), "".join(new[new_begin:new_end])
            lead = _alike(was, now)
            tail = _alike(was[lead:][::-1], now[lead:][::-1])
            edits.append(
                Edit(starts[begin] + lead, starts[end] - tail, now[lead : len(now) - tail])
            )
    return tuple(edits)


def _alike(one: str, other: str) -> int:
    """How many characters two texts have in common at their start."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(one), len(other)))


def compatible(fixes: Sequence[Fix]) -> tuple[Fix, ...]:
    """The fixes that can be made together: each that touches no characters of an earlier one.

    An edit that two fixes share (the same import, say) is no conflict.
    """
    taken: list[Edit] = []
    chosen = []
    for fix in fixes:
        fresh = [edit for edit in set(fix.edits) if edit not in taken]
        if not any(_clash(edit, other) for edit in fresh for other in taken):
            taken += fresh
            chosen.append(fix)
    return tuple(chosen)


def _clash(one: Edit, other: Edit) -> bool:
    """Whether edits overlap, or insert at or beside the same place, where order would matter."""
    return one.start <= other.end and other.start <= one.end


def fix_text(
    text: str,
    check: Callable[[str], Sequence[Finding]],
    safety: Safety = Safety.SAFE,
) -> Fixed:
    """Make the fixes that `check` offers, again and again until none is left.

    `Safety.UNSAFE` makes the unsafe ones too. Fixes that conflict wait for the next round. A
    fix that would leave a text that does not parse, where it parsed before, is dropped, and
    so is one that is still offered after it was made over and over.
    """
    accepts = _parses if _parses(text) else _anything
    mended: list[Finding] = []
    dropped: list[Finding] = []
    seen = {text}
    for _ in range(ROUNDS):
        offered = [
            finding
            for finding in check(text)
            if finding.fix is not None
            and finding.fix.edits
            and (safety is Safety.UNSAFE or finding.fix.safety is Safety.SAFE)
        ]
        offers = {id(f.fix): f for f in offered if not _among(f, dropped)}
        if not offers:
            break
        chosen = compatible([f.fix for f in offers.values() if f.fix is not None])
        after, made, broken = _make(text, chosen, accepts)
        dropped += [offers[id(fix)] for fix in broken]
        if after == text or after in seen:
            dropped += [offers[id(fix)] for fix in made]
            continue
        mended += [offers[id(fix)] for fix in made]
        seen.add(after)
        text = after
    return Fixed(text, tuple(mended), tuple(dropped))


def _among(finding: Finding, dropped: Sequence[Finding]) -> bool:
    """Whether a fix of the same text was dropped; the line may have moved since."""
    return any(
        finding.rule == other.rule
        and finding.source_line == other.source_line
        and finding.message == other.message
        and finding.location.column == other.location.column
        for other in dropped
    )


def _make(
    text: str, fixes: Sequence[Fix], accepts: Callable[[str], bool]
) -> tuple[str, list[Fix], list[Fix]]:
    """The text with the fixes made, those made, and those that break it."""
    together = _tried(text, fixes, accepts)
    if together is not None:
        return together, list(fixes), []
    made: list[Fix] = []
    broken: list[Fix] = []
    best = text
    for fix in fixes:
        attempt = _tried(text, [*made, fix], accepts)
        if attempt is None:
            broken.append(fix)
        else:
            made.append(fix)
            best = attempt
    return best, made, broken


def _tried(text: str, fixes: Sequence[Fix], accepts: Callable[[str], bool]) -> str | None:
    try:
        after = apply_edits(text, [edit for fix in fixes for edit in fix.edits])
    except ValueError:
        return None
    return after if accepts(after) else None


def _parses(text: str) -> bool:
    return parsed(text) is not None


def _anything(text: str) -> bool:  # noqa: ARG001 - what did not parse before need not parse now
    return True
