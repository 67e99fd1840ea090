"""Which approach helps with which problems: tables, counts by cause, and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from deepperf.bench.assess.approach import Verdict
from deepperf.bench.assess.stored import PAPER_COLUMNS, Answer
from deepperf.bench.problems import Problem
from deepperf.bench.recall import sibling_of
from deepperf.taxonomy.terms import load_codebook

Paper = Mapping[str, Mapping[str, int]]
OWN = "deepperf"
OWN_RUN = "run"


def counts(answers: Iterable[Answer]) -> str:
    """A Markdown table: how many problems got which verdict from each approach."""
    heads = ["approach", "version", *(verdict.value for verdict in Verdict)]
    lines = [_row(heads), "|" + "---|" * len(heads)]
    for group in _by_approach(answers).values():
        versions = sorted({answer.entry.version for answer in group})
        given = [answer.judgement.verdict for answer in group]
        numbers = [str(given.count(verdict) or "") for verdict in Verdict]
        lines.append(_row([group[0].approach.title, ", ".join(versions), *numbers]))
    return "\n".join(lines)


def by_cause(answers: Sequence[Answer], paper: Paper) -> str:
    """A Markdown table: with how many of the problems where it applies each approach helps.

    One row for each cause; the paper's columns first, then ours.
    """
    causes = load_codebook().causes
    problems = {answer.problem.id: answer.problem for answer in answers}
    groups = _by_approach(answers)
    heads = ["cause", "problems"]
    heads += [f"{title} (paper)" for title in PAPER_COLUMNS.values()] if paper else []
    heads += [group[0].approach.title for group in groups.values()]
    lines = [_row(heads), "|" + "---|" * len(heads)]
    shown = [cause for cause in causes if any(one.cause == cause for one in problems.values())]
    for cause in (*shown, ""):
        ids = {one.id for one in problems.values() if cause in ("", one.cause)}
        cells = [causes[cause].title if cause else "all", str(len(ids))]
        if paper:
            cells += [_paper_cell(ids, paper, column) for column in PAPER_COLUMNS]
        cells += [
            _cell(answer for answer in group if answer.problem.id in ids)
            for group in groups.values()
        ]
        lines.append(_row([f"**{cell}**" if not cause and cell else cell for cell in cells]))
    return "\n".join(lines)


def by_problem(answers: Sequence[Answer], paper: Paper) -> str:
    """A Markdown table: the verdict of each approach on each problem."""
    groups = _by_approach(answers)
    causes = list(load_codebook().causes)
    problems = sorted(
        {answer.problem.id: answer.problem for answer in answers}.values(),
        key=lambda problem: (causes.index(problem.cause), problem.id),
    )
    verdicts = {(answer.problem.id, answer.approach.name): answer.judgement for answer in answers}
    heads = ["problem", "cause"]
    heads += [f"{title} (paper)" for title in PAPER_COLUMNS.values()] if paper else []
    heads += [group[0].approach.title for group in groups.values()]
    lines = [_row(heads), "|" + "---|" * len(heads)]
    for problem in problems:
        cells = [problem.id, load_codebook().causes[problem.cause].title]
        if paper:
            codes = paper.get(paper_id(problem), {})
            cells += [_CODES.get(codes.get(column, 2), "") for column in PAPER_COLUMNS]
        for name in groups:
            judgement = verdicts.get((problem.id, name))
            cells.append(judgement.verdict.value if judgement else "")
        lines.append(_row(cells))
    return "\n".join(lines)


def own_sentences(answers: Iterable[Answer]) -> str:
    """What is said of deepperf alone: unseen siblings, and alarms in repaired programs."""
    given = tuple(answers)
    parts = (
        _of_check([answer for answer in given if answer.approach.name == OWN]),
        _of_run([answer for answer in given if answer.approach.name == OWN_RUN]),
    )
    return "\n\n".join(part for part in parts if part)


def _of_check(own: Sequence[Answer]) -> str:
    if not own:
        return ""
    visible = [answer for answer in own if answer.problem.static != "none"]
    found = sum(
        sibling_of(answer.problem, answer.entry.raw).complete
        for answer in visible
        if answer.problem.rules
    )
    loud = sum(
        any(
            rule in answer.problem.rules and level == "warning"
            for _, rule, _, level in answer.entry.raw.get("buggy.py", ())
        )
        for answer in own
    )
    levels = [{level for *_, level in answer.entry.raw.get("fixed.py", ())} for answer in own]
    warned, noted = (sum(word in one for one in levels) for word in ("warning", "note"))
    return (
        f"Of the {len(visible)} siblings, the same causes in other shapes, deepperf finds every "
        f"marked line in {found}. They were written without looking at the rules, but the rules "
        "have been improved on them since, as on the problems: neither says how it fares on "
        "programs never seen. "
        f"It warns in {warned} of {len(own)} repaired programs, and has notes in {noted}. "
        f"A warning names the cause of {loud} problems, a note that of the others, which "
        "`--level note` shows."
    )


def _of_run(own: Sequence[Answer]) -> str:
    if not own:
        return ""
    findings = [
        len(answer.entry.raw["fixed"]["findings"]) for answer in own if "fixed" in answer.entry.raw
    ]
    alarmed = sum(bool(count) for count in findings)
    said = f"{sum(findings)} findings, in {alarmed}" if alarmed else "no finding in any"
    return (
        f"`deepperf run` has {said} of the runs of {len(findings)} repaired programs; what else "
        "it says there is judged, one by one, in `evaluation/problems/`. Its signals have been "
        "improved on the problems, too."
    )


def as_json(answers: Iterable[Answer], paper: Paper) -> dict[str, Any]:
    """Every verdict with its reason, by problem, beside the paper's codes."""
    problems: dict[str, dict[str, Any]] = {}
    for answer in answers:
        problem = answer.problem
        known = problems.setdefault(
            problem.id,
            {"cause": problem.cause, "paper": dict(paper.get(paper_id(problem), {})), "ours": {}},
        )
        known["ours"][answer.approach.name] = {
            "verdict": answer.judgement.verdict.value,
            "reason": answer.judgement.reason,
            "version": answer.entry.version,
            "date": answer.entry.date,
        }
    return {"format": 1, "problems": dict(sorted(problems.items()))}


def paper_id(problem: Problem) -> str:
    """The problem's name in the paper's data."""
    return problem.id.removeprefix("so-").replace("-", "_")


_CODES = {-1: "not applicable", 0: "no help", 1: "helps"}


def _by_approach(answers: Iterable[Answer]) -> dict[str, list[Answer]]:
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(answer.approach.name, []).append(answer)
    return groups


def _cell(answers: Iterable[Answer]) -> str:
    verdicts = [answer.judgement.verdict for answer in answers]
    applicable = [one for one in verdicts if one is not Verdict.NOT_APPLICABLE]
    if not applicable:
        return ""
    return f"{sum(one.helps for one in applicable)} of {len(applicable)}"


def _paper_cell(ids: Iterable[str], paper: Paper, column: str) -> str:
    names = [one.removeprefix("so-").replace("-", "_") for one in ids]
    codes = [paper[name][column] for name in names if name in paper]
    applied = [code for code in codes if code >= 0]
    return f"{sum(applied)} of {len(applied)}" if applied else ""


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
