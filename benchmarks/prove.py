"""Runs `deepperf prove` on small trainings, and on problems of the benchmark whose rule has a fix:
`python -m benchmarks.prove`.

Writes what was proven, with every measured value, and a table to `evaluation/prove`.
"""

from __future__ import annotations

import argparse
import datetime
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

from deepperf.bench.machine import this_machine
from deepperf.bench.problems import find_problems, read_problem
from deepperf.dev.fixable import safety_of
from deepperf.dev.proven import OF_PROBLEMS
from deepperf.prove.offer import Quantity
from deepperf.rules.registry import find_rules

HERE = Path("workloads") / "provable"
RESULTS = Path("evaluation") / "prove"
HEAD = ("script", "change", "answer", "saves", "pairs")


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prove", description=__doc__)
    parser.add_argument("names", nargs="*", help="scripts and problems; all scripts without any")
    parser.add_argument("--problems", action="store_true", help="those whose rule has a fix")
    parser.add_argument("--budget", default="10m", help="for each")
    parser.add_argument("--jobs", type=int, default=1, help="how many are proven at a time")
    parser.add_argument("--remark", default="nothing else ran", help="on the machine meanwhile")
    parser.add_argument("--suffix", default="", help="of the names of the results")
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args(words)
    scripts = [path.stem for path in sorted(HERE.glob("*.py"))]
    names = arguments.names or (mendable() if arguments.problems else scripts)
    begin = OF_PROBLEMS if arguments.problems else ""
    proofs: dict[str, Mapping[str, Any]] = {}
    result = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "machine": asdict(this_machine()),
        "budget": arguments.budget,
        "at a time": arguments.jobs,
        "remark": arguments.remark,
        "proofs": proofs,
    }
    arguments.output.mkdir(parents=True, exist_ok=True)
    target = arguments.output / f"{begin}{result['date']}{arguments.suffix}.json"
    with ThreadPoolExecutor(arguments.jobs) as pool:
        told = pool.map(lambda name: proven(name, arguments.budget), names)
        for name, proof in zip(names, told, strict=True):
            proofs[name] = proof
            target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
            target.with_suffix(".md").write_text(markdown(result), encoding="utf-8")
    print(markdown(result))
    return 0


def mendable() -> list[str]:
    """The problems of which a rule that may name the cause has a fix."""
    fixable = {files.name for files in find_rules() if safety_of(files.page.parent)}
    problems = map(read_problem, find_problems(Path("problems")))
    return [problem.id for problem in problems if not fixable.isdisjoint(problem.rules)]


def proven(name: str, budget: str) -> Mapping[str, Any]:
    """The report on one script or problem, or `error`, its last line."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "requirements.txt").touch()
        for path in _files(name):
            shutil.copy(path, root / path.name)
        script = f"{name}.py" if (root / f"{name}.py").exists() else "problem.py"
        if script == "problem.py":
            (root / script).write_text("import buggy\n\nprint(buggy.main())\n", encoding="utf-8")
        command = [sys.executable, "-m", "deepperf", "prove", "--format", "json"]
        done = subprocess.run(
            [*command, "--budget", budget, "--", "python", script],
            cwd=root,
            capture_output=True,
            text=True,
            check=False,
        )
    print(f"{name}: done", file=sys.stderr)
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        return {"error": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}


def _files(name: str) -> list[Path]:
    script = HERE / f"{name}.py"
    return [script] if script.exists() else sorted((Path("problems") / name).glob("buggy*.py"))


def markdown(result: Mapping[str, Any]) -> str:
    """The table, the machine above it."""
    machine = result["machine"]
    where = f"{machine['cpu']}, {machine['cores']} cores, {machine['gpu'] or 'no GPU'}"
    lines = [
        "# What `deepperf prove` proves",
        "",
        f"{result['date']}, {where}; {result['at a time']} at a time, {result['budget']} each.",
        "",
        f"| {' | '.join(HEAD)} |",
        "|" + "---|" * len(HEAD),
    ]
    for name, told in result["proofs"].items():
        lines += [f"| {' | '.join(row)} |" for row in _rows(name, told)]
    return "\n".join(lines) + "\n"


def _rows(name: str, told: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    if "error" in told:
        yield name, "", told["error"], "", ""
        return
    for one in told["candidates"]:
        kind = "opportunity" if one["kind"] == "opportunity" else f"{one['safety']} fix"
        said = f"{one['answer']}: {one['said']}" if one["said"] else one["answer"]
        yield name, f"`{one['name']}` ({kind})", said.replace("|", "\\|"), *_gain(one)
    if told["together"] is not None:
        kept = ", ".join(f"`{one['name']}`" for one in told["together"]["kept"])
        yield name, f"together: {kept}", told["together"]["answer"], *_gain(told["together"])


def _gain(one: Mapping[str, Any]) -> tuple[str, str]:
    gain = one["gain"]
    if gain is None:
        return "", ""
    per = {
        Quantity.CPU: "",
        Quantity.WALL: " of the time",
        Quantity.STEP: " per step",
        Quantity.PACE: " per step",
        Quantity.MEMORY: " of the memory",
    }[Quantity(one["quantity"])]
    is_bounded = gain["pairs"] > 1 and gain["low"] >= -1
    interval = f" ({gain['low']:.0%} to {gain['high']:.0%})" if is_bounded else ""
    return f"{gain['saved']:.1%}{interval}{per}", str(gain["pairs"])


if __name__ == "__main__":
    sys.exit(main())
