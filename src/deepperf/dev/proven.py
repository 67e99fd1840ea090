"""The tables of what `prove` proved of small programs, beside what rules' evidence promises."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deepperf.prove.offer import Quantity
from deepperf.prove.trial import Answer

RESULTS = Path("evaluation") / "prove"
HEAD = (
    "program", "proven", "saves", "promised by the rule", "no difference", "changes results",
    "not decided in time", "otherwise",
)  # fmt: skip


OF_PROBLEMS = "problems-"
"""How the names of results on problems begin; all others begin with a date."""


def proven_table(root: Path) -> str:
    """The newest results of each program."""
    results = _newest(root, "")
    proofs = {name: result["proofs"][name] for name, result in results.items()}
    won = sum(any(_proven(proof)) for proof in proofs.values())
    said = f"A gain is proven in {won} of {len(proofs)} programs."
    return "\n".join((*_where(results), "", said, "", *_table(HEAD, _all_rows(proofs))))


def proven_problems_table(root: Path) -> str:
    """The same of the problems of which a rule has a fix."""
    from deepperf.bench.problems import read_problem

    results = _newest(root, OF_PROBLEMS)
    proofs = {name: result["proofs"][name] for name, result in results.items()}
    rows, own, won = [], 0, 0
    for name, proof in sorted(proofs.items()):
        problem = read_problem(root / "problems" / name)
        faster = {one["name"]: one for one in _answered(proof, Answer.FASTER)}
        won += bool(faster)
        own += any(rule in faster for rule in problem.rules)
        gains = (f"`{one}` {_gain(found)}" for one, found in faster.items())
        offered = [one for one in proof.get("candidates", ()) if one["kind"] == "fix"]
        fixes = (f"`{one['name']}`: {_answer(one)}" for one in offered)
        said = "; ".join(fixes) or proof.get("error", "none is offered")
        rules = ", ".join(f"`{rule}`" for rule in problem.rules)
        rows.append((f"`{name}`", rules, "; ".join(gains), said.replace("|", " ")))
    said = (
        f"A gain is proven in {won} of {len(proofs)} of these programs, in {own} by the fix of a "
        "rule that names the cause."
    )
    head = ("problem", "its rules", "proven", "what became of the fixes")
    return "\n".join((*_where(results), "", said, "", *_table(head, rows)))


def nulls_table(root: Path) -> str:
    """What `prove` said of changes that save nothing, or a known part."""
    rows = []
    for path in sorted((root / RESULTS).glob("[np]*[a-z]-[0-9]*.json")):
        if path.name.startswith(OF_PROBLEMS):
            continue
        result = json.loads(path.read_text(encoding="utf-8"))
        tried = result["sessions"] * result["candidates"]
        faster = result["answers"].get(Answer.FASTER.value, 0)
        rows.append(
            (
                result["date"],
                f"{result.get('gain', 0.0):.0%}",
                f"{result['sessions']} with {result['candidates']} each",
                f"{faster} of {tried}",
                _machine(result),
                result.get("remark", ""),
            )
        )
    head = ("date", "each saves", "runs of `prove`", "called faster", "machine", "meanwhile")
    return "\n".join(_table(head, rows))


def _answer(one: Mapping[str, Any]) -> str:
    late = one["said"].startswith("the time was up")
    return "not decided in time" if late else one["said"] or one["answer"]


def _newest(root: Path, begin: str) -> dict[str, Mapping[str, Any]]:
    """The newest results of each program; of two of one day, those in the last file."""
    paths = sorted((root / RESULTS).glob(f"{begin}[0-9]*.json"))
    results = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    results.sort(key=lambda result: str(result["date"]))
    return {name: result for result in results for name in result["proofs"]}


def _where(results: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """When and where they were measured, once for each way in which it was done."""
    said: dict[str, list[str]] = {}
    for name, one in results.items():
        how = f"{one['date']}, {_machine(one)}; {one['budget']} for each program; {one['remark']}."
        said.setdefault(how, []).append(f"`{name}`")
    for how, names in said.items():
        yield f"- {how}" if len(said) == 1 else f"- {', '.join(names)}: {how}"


def _machine(result: Mapping[str, Any]) -> str:
    machine = result["machine"]
    gpu = f", {machine['gpu']}" if machine["gpu"] else ""
    return f"{machine['cpu']}, {machine['cores']} cores{gpu}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _all_rows(proofs: Mapping[str, Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    for name, proof in proofs.items():
        yield from _rows(name, proof)


def _rows(name: str, proof: Mapping[str, Any]) -> Iterator[Sequence[str]]:
    if "error" in proof:
        yield f"`{name}`", "", "", "", "", "", "", proof["error"].replace("|", "\\|")
        return
    rest = [
        ", ".join(f"`{one['name']}`" for one in _answered(proof, answer))
        for answer in (Answer.NO_DIFFERENCE, Answer.CHANGES_RESULTS)
    ]
    undecided = [*_answered(proof, Answer.NOT_TRIED)]
    late = [one for one in undecided if one["said"].startswith("the time was up")]
    failed = [one for one in undecided if one not in late]
    rest.append(", ".join(f"`{one['name']}`" for one in late))
    rest.append("; ".join(f"`{one['name']}`: {one['said'].replace('|', ' ')}" for one in failed))
    told = [
        (f"`{one['name']}`", _gain(one), _promised(one, proof["versions"]))
        for one in _proven(proof)
    ] or [("", "", "")]
    yield (f"`{name}`", *told[0], *rest)
    for more in told[1:]:
        yield ("", *more, "", "", "", "")


def _answered(proof: Mapping[str, Any], answer: Answer) -> Iterator[Mapping[str, Any]]:
    return (one for one in proof.get("candidates", ()) if one["answer"] == answer.value)


def _proven(proof: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield from _answered(proof, Answer.FASTER)
    yield from _answered(proof, Answer.LEANER)


def _gain(one: Mapping[str, Any]) -> str:
    gain = one["gain"]
    per = {
        Quantity.STEP: " per step",
        Quantity.PACE: " per step",
        Quantity.MEMORY: " of the memory",
    }.get(Quantity(one["quantity"]), "")
    return f"{gain['saved']:.0%}{per} ({gain['low']:.0%} to {gain['high']:.0%})"


def _promised(one: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    """What the evidence of a rule says, without where it was measured; "" of an opportunity."""
    from deepperf.rules.evidence import clearest_gain, describe, read_evidence
    from deepperf.rules.registry import named

    if one["kind"] == "opportunity":
        return ""
    evidence = read_evidence(named(one["name"]).evidence, one["name"])
    measured = (clearest_gain(evidence, framework) for framework in versions)
    return next((describe(gain).rpartition(" (")[0] for gain in measured if gain), "")
