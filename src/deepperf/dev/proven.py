"""The table of what `prove` proved of small programs, beside what the rules' evidence promises."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from deepperf.prove.trial import Answer

RESULTS = Path("evaluation") / "prove"
HEAD = (
    "program", "proven", "saves", "promised by the rule", "no difference", "changes results",
    "not decided in time", "otherwise",
)  # fmt: skip


def proven_table(root: Path) -> str:
    """The newest result of `python -m benchmarks.prove`."""
    result = json.loads(max((root / RESULTS).glob("[0-9]*.json")).read_text(encoding="utf-8"))
    machine, proofs = result["machine"], result["proofs"]
    won = sum(any(_answered(proof, Answer.FASTER)) for proof in proofs.values())
    where = f"{result['date']}, {machine['cpu']}, {machine['cores']} cores; {result['remark']}"
    lines = [
        f"{where}. A gain is proven in {won} of {len(proofs)} programs.",
        "",
        f"| {' | '.join(HEAD)} |",
        "|---" * len(HEAD) + "|",
    ]
    for name, proof in proofs.items():
        lines += [f"| {' | '.join(row)} |" for row in _rows(name, proof)]
    return "\n".join(lines)


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
    proven = [*_answered(proof, Answer.FASTER)]
    told = [
        (f"`{one['name']}`", _gain(one), _promised(one, proof["versions"])) for one in proven
    ] or [("", "", "")]
    yield (f"`{name}`", *told[0], *rest)
    for more in told[1:]:
        yield ("", *more, "", "", "", "")


def _answered(proof: Mapping[str, Any], answer: Answer) -> Iterator[Mapping[str, Any]]:
    return (one for one in proof.get("candidates", ()) if one["answer"] == answer.value)


def _gain(one: Mapping[str, Any]) -> str:
    gain = one["gain"]
    per = " per step" if one["quantity"] == "CPU time per step" else ""
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
