"""What compilers say of programs and models, and what `check` says of these."""

from __future__ import annotations

import json
from pathlib import Path


def recompiled_table(root: Path) -> str:
    """The newest result of `python -m benchmarks.compilers`: `check` beside the compilers."""
    path = max((root / "benchmarks" / "results" / "compilers").glob("*.json"))
    result = json.loads(path.read_text(encoding="utf-8"))
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
    fixed = result["frameworks"]["torch"]["fixed"]
    before, after = (sum(one[when] for one in fixed) for when in ("before", "after"))
    same = sum(one["same"] for one in fixed)
    lines.append(
        f"`check --fix --unsafe-fixes` mends {len(fixed)} programs of PyTorch: {before} breaks "
        f"before, {after} after; {same} of them give the same results, bit for bit."
    )
    return "\n".join(lines)


def architectures_table(root: Path) -> str:
    """The newest result of `python -m benchmarks.architectures`: `check` beside Dynamo."""
    path = max((root / "benchmarks" / "results" / "architectures").glob("*.json"))
    result = json.loads(path.read_text(encoding="utf-8"))
    versions = ", ".join(f"{name} {version}" for name, version in result["versions"].items())
    lines = [
        f"| lines of {result['architectures']} architectures | number | Dynamo breaks there, too |",
        "|---|---|---|",
        f"| Dynamo breaks the graph | {result['dynamo']} | |",
    ]
    for level in ("warnings", "notes"):
        one = result[level]
        lines.append(f"| `check`: {level} | {one['told']} | {one['both']} |")
    told = (
        f"{result['broken']} architectures break; breaks in files that they share, which "
        f"`check` is not given: {result['elsewhere']}. {result['failed']} of the "
        f"{result['architectures'] + result['failed']} that were drawn could not be made small, or "
        f"take neither texts nor pictures alone ({versions}, {result['date']})."
    )
    return "\n".join([*lines, "", told])
