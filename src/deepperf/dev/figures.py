"""The README's six figures: how right deepperf is, and how fast."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

LARGE = "torch"
"""The package whose check is told as an example of speed."""


def figures(root: Path) -> str:
    """Six items of a Markdown list, each linked to the document that tells more."""
    return "\n".join(
        (
            _unread_findings(root),
            *_problems(root),
            _watched(root),
            _speed(root),
            _overhead(root),
        )
    )


def _unread_findings(root: Path) -> str:
    from deepperf.scan.judgements import load_judgements

    draws = (root / "corpus" / "judgements").glob("*-draw-*.toml")
    verdicts = Counter(one.verdict.value for path in draws for one in load_judgements([path]))
    read = verdicts.total()
    parts = {name: f"{count / read:.0%}" for name, count in verdicts.items()}
    return (
        f"- [Unread code](docs/evaluation.md#unread-code): of {read:,} findings in repositories "
        f"that no rule was developed on, {parts['true']} were worth a change, {parts['arguable']} "
        f"correct but minor, {parts['false']} wrong."
    )


def _problems(root: Path) -> tuple[str, str]:
    from deepperf.bench.assess.approach import approaches
    from deepperf.bench.assess.stored import answers
    from deepperf.bench.problems import find_problems, read_problem

    folder = root / "problems"
    problems = [read_problem(path) for path in find_problems(folder)]
    given = answers(folder / "results", approaches().values(), problems)
    named = Counter(one.approach.name for one in given if one.judgement.verdict.helps)
    own = [one for one in given if one.approach.name == "deepperf"]
    warned = [any(of[-1] == "warning" for of in one.entry.raw.get("fixed.py", ())) for one in own]
    benchmark = (
        "- [The benchmark](docs/evaluation.md#what-tools-say): `check --level note` names the "
        f"cause of {named['deepperf']} of {len(problems)} problems, `run` of {named['run']}, the "
        f"study's own checker of {named['original']}. The rules were developed on these problems."
    )
    alarms = (
        "- [Repaired programs](docs/evaluation.md#the-58-problems): `check` warns in "
        f"{sum(warned)} of the benchmark's {len(own)}."
    )
    return benchmark, alarms


def _watched(root: Path) -> str:
    from deepperf.scan.judgements import Verdict, load_judgements
    from deepperf.scan.watched import hit_key, hits, read_results

    results = read_results(root / "runs" / "results")
    judged = load_judgements((root / "evaluation" / "watched").glob("*.toml"))
    verdicts = {one.key: one.verdict for one in judged}
    found = [verdicts.get(hit_key(hit)) for hit in hits(results)]
    return (
        f"- [Watched scripts](docs/evaluation.md#watched-scripts): `run` has {len(found)} findings "
        f"in {len(results)} training scripts, {found.count(Verdict.TRUE)} of them worth a change."
    )


def _speed(root: Path) -> str:
    data = json.loads(_newest(root / "benchmarks" / "results", "json").read_text("utf-8"))
    rows = {row["tool"]: row for row in data["rows"] if row["subject"] == LARGE}
    cold, warm = rows["deepperf cold"], rows["deepperf warm"]
    return (
        f"- [Speed](docs/benchmarks.md#speed): the first check of {LARGE} "
        f"({cold['lines']:,} lines) takes {_seconds(cold):.0f} s on one core, the next "
        f"{_seconds(warm):.1f} s."
    )


def _seconds(row: dict[str, Any]) -> float:
    times = sorted(cost["wall"] for cost in row["costs"])
    return float(times[len(times) // 2])


def _overhead(root: Path) -> str:
    table = _newest(root / "benchmarks" / "results" / "overhead", "md").read_text("utf-8")
    shares = [float(share) for share in re.findall(r"\| always on \| ([+-][\d.]+)%", table)]
    return (
        f"- [Overhead](docs/benchmarks.md#overhead): what `run` always records costs ordinary "
        f"trainings at most {max(shares)}% more CPU time."
    )


def _newest(folder: Path, ending: str) -> Path:
    return max(folder.glob(f"*.{ending}"))
