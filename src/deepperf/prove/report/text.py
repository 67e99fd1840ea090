"""The proof for a terminal: what helps first, then what does not, and why."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from deepperf.dynamic.report import Screen, duration, size
from deepperf.outputs.paint import harmless
from deepperf.outputs.results import counted
from deepperf.prove.candidates import Candidate
from deepperf.prove.measuring import Judged
from deepperf.prove.proving import Proof
from deepperf.prove.report import NOT_BEGUN, command_of, measured_as, remarks, whole_runs
from deepperf.prove.trial import Answer, Gain

HEADS = {
    Answer.FASTER: "Proven faster",
    Answer.LEANER: "Proven to need less memory",
    Answer.NO_DIFFERENCE: "No difference",
    Answer.SLOWER: "Slower",
    Answer.CHANGES_RESULTS: "Changes results",
    Answer.NOT_TRIED: "Could not be tried or decided",
}
FELT_MEMORY = 0.05
"""Part of the peak from which on a change of it is told."""


def show(proof: Proof, screen: Screen) -> str:
    """The whole report as text."""
    blocks = [[*_head(proof, screen)]]
    for answer, head in HEADS.items():
        found = [(one, judged) for one, judged in proof.tried if judged.answer is answer]
        if found:
            found.sort(key=lambda one: -(one[1].gain.saved if one[1].gain else 0.0))
            rows = [screen.paint(screen.paint.place, f"{head}:")]
            for candidate, judged in found:
                if judged.said not in NOT_BEGUN:
                    rows += _candidate(candidate, judged, screen)
            for said in NOT_BEGUN:
                names = [one for one, judged in found if judged.said == said]
                rows += _not_begun(said, names, screen)
            blocks.append(rows)
    blocks += [[*_together(proof, screen)], [*_remarks(proof, screen)]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(proof: Proof, screen: Screen) -> Iterator[str]:
    yield screen.paint(screen.paint.place, f"deepperf: {harmless(command_of(proof))}")
    threads = counted(proof.request.threads, "thread") if proof.request.threads else "all threads"
    what = "times by the clock" if proof.machine.accelerators else "CPU time"
    yield (
        f"{counted(len(proof.tried), 'candidate')}, {counted(proof.runs, 'run')} in "
        f"{duration(proof.seconds)}; {what} without imports, on {threads}"
    )
    if proof.interrupted:
        yield "interrupted: this is what was decided until then"
    if not proof.tried:
        yield "nothing to try: no finding with a fix and no opportunity in the files that ran"


def _candidate(candidate: Candidate, judged: Judged, screen: Screen) -> Iterator[str]:
    amount = told(judged.gain) if judged.gain is not None else ""
    kind = f"{candidate.safety} fix" if candidate.safety else "opportunity"
    more = f" and {len(candidate.lines) - 1} more" if len(candidate.lines) > 1 else ""
    name = screen.paint(screen.paint.rule, candidate.name)
    place = screen.paint(screen.paint.place, harmless(candidate.place))
    yield f"  {place}{more} {name}: {candidate.title} ({kind})"
    said = "; ".join(
        part
        for part in (
            f"{amount} {measured_as(judged)}".strip() if amount else "",
            judged.said,
            whole_runs(judged),
            _payment(judged),
            _memory(judged),
        )
        if part
    )
    if said:
        yield from _wrapped(harmless(said), "      ", screen)


def _not_begun(said: str, candidates: Sequence[Candidate], screen: Screen) -> list[str]:
    """What was not begun, without a word of each."""
    names = ", ".join(f"{one.name} ({one.place})" for one in candidates)
    return _wrapped(f"{said}: {harmless(names)}", "  ", screen) if names else []


def told(gain: Gain) -> str:
    """A gain with its interval: "saves 23 % (19 to 26 %)"."""
    low, high = gain.low, gain.high
    if gain.saved < 0:
        word, one, low, high = "needs", -gain.saved, -high, -low
        more = " more"
    else:
        word, one, more = "saves", gain.saved, ""
    # Two or three pairs that differ much bound nothing: the interval would be a huge number.
    is_bounded = gain.pairs > 1 and gain.low >= -1
    interval = f" ({low:.0%} to {high:.0%})" if is_bounded else ""
    return f"{word} {one:.1%}{more}{interval} in {counted(gain.pairs, 'pair')}"


def _payment(judged: Judged) -> str:
    steps = judged.pays_off
    return f"starting takes longer: pays off after {steps:,} steps" if steps else ""


def _memory(judged: Judged) -> str:
    if judged.memory is None:
        return ""
    before, after = judged.memory
    if not before or abs(after - before) < FELT_MEMORY * before:
        return ""
    return f"peak of memory {size(before)} → {size(after)}"


def _together(proof: Proof, screen: Screen) -> Iterator[str]:
    whole = proof.combination
    if whole is None:
        return
    yield screen.paint(screen.paint.place, "All that goes together:")
    for one in whole.kept:
        yield f"  {harmless(one.place)} {one.name}"
    if whole.judged.gain is not None:
        yield from _wrapped(
            f"{told(whole.judged.gain)} {measured_as(whole.judged)}".rstrip(), "      ", screen
        )
    for one, why in whole.left_out:
        yield f"  left out: {harmless(one.place)} {one.name}: {harmless(why)}"


def _remarks(proof: Proof, screen: Screen) -> Iterator[str]:
    for remark in remarks(proof):
        yield from _wrapped(f"Note: {harmless(remark)}.", "", screen)


def _wrapped(text: str, indent: str, screen: Screen) -> list[str]:
    width = max(60, min(100, screen.width))
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
