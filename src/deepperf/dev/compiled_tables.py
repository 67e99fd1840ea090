"""What compilers say of programs and models, and what `check` says of these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def recompiled_table(root: Path) -> str:
    """The newest result of `python -m benchmarks.compilers`: `check` beside the compilers."""
    result = _newest(root, "compilers")
    lines = [
        "| compiler | programs | what | the compiler reports | `check` tells | both |",
        "|---|---|---|---|---|---|",
    ]
    unlike = []
    for framework, one in result["frameworks"].items():
        for what, (both, real, claimed) in (
            ("graph breaks, by line", one["breaks"]),
            ("compiled again and again, by program", one["again"]),
        ):
            if real or claimed:
                name = f"{framework} {one['version']}"
                lines.append(
                    f"| {name} | {one['programs']} | {what} | {real} | {claimed} | {both} |"
                )
        unlike += [difference.partition(":")[0] for difference in one["differences"]]
    told = f"Measured {result['date']}. Programs of which the two say something else: "
    lines += ["", told + (", ".join(unlike) or "none") + "."]
    lines += [
        "",
        "What `check --fix --unsafe-fixes` mends, run before and after:",
        "",
        "| compiler | programs changed | graph breaks | compilations | the same results |",
        "|---|---|---|---|---|",
    ]
    for framework, one in result["frameworks"].items():
        fixed = one["fixed"]
        sums = [
            " → ".join(str(sum(program[what][when] for program in fixed)) for when in (0, 1))
            for what in ("breaks", "compiled")
        ]
        equal, close = (sum(f["result"] == how for f in fixed) for how in ("equal", "close"))
        same = f"{equal} bit for bit, {close} within 1e-5"
        lines.append(f"| {framework} | {len(fixed)} | {' | '.join(sums)} | {same} |")
    return "\n".join(lines)


def architectures_table(root: Path) -> str:
    """`check` beside Dynamo (`python -m benchmarks.architectures`): the newest for all versions."""
    newest = {}
    for path in sorted((root / "benchmarks" / "results" / "architectures").glob("*.json")):
        result = json.loads(path.read_text(encoding="utf-8"))
        newest[tuple(result["versions"].items())] = result
    lines = [
        (
            "| versions, day | architectures | not compiled | break | lines of breaks "
            "| `check` warns of, ran, right | notes, ran, right | breaks in shared files |"
        ),
        "|---|---|---|---|---|---|---|---|",
    ]
    for versions, result in newest.items():
        named = ", ".join(f"{name} {version}" for name, version in versions)
        said = " | ".join(
            ", ".join(str(result[level][key]) for key in ("told", "ran", "both"))
            for level in ("warnings", "notes")
        )
        lines.append(
            f"| {named}, {result['date']} | {result['architectures']} | {result['failed']} "
            f"| {result['broken']} | {result['dynamo']} | {said} | {result['elsewhere']} |"
        )
    return "\n".join(lines)


def versions_table(root: Path) -> str:
    """The newest result of `python -m benchmarks.versions`: other versions of the frameworks."""
    result = _newest(root, "versions")
    lines = [
        (
            "| version | programs | breaks: reported, told, both"
            " | compiled again: reported, told, both | pairs | good side less |"
        ),
        "|---|---|---|---|---|---|",
    ]
    others = []
    for run in result["runs"]:
        name = f"{run['framework']} {run['version']}"
        ran = [pair for pair in run["pairs"] if "error" not in pair]
        less = [pair for pair in ran if pair["good"] < pair["bad"]]
        counts = " | ".join(
            f"{real}, {claimed}, {both}" for both, real, claimed in (run["breaks"], run["again"])
        )
        lines.append(
            f"| {name} | {run['programs']} | {counts} | {len(run['pairs'])} | {len(less)} |"
        )
        others += [
            f"- {name}, `{pair['pair']}`: "
            + (pair.get("error") or f"{pair['bad']:g} {pair['quantity']} on both sides")
            for pair in run["pairs"]
            if pair not in less
        ]
    return "\n".join([*lines, "", f"Measured {result['date']}. The others:", "", *others])


def _newest(root: Path, benchmark: str) -> Any:
    path = max((root / "benchmarks" / "results" / benchmark).glob("*.json"))
    return json.loads(path.read_text(encoding="utf-8"))
