"""Measures what advice on other people's code gains: `python -m benchmarks.cutouts FOLDER`.

Each folder in FOLDER is named RULE--REPOSITORY--LINE after a finding (CELL.LINE in a notebook),
and holds the function cut out of that repository (`bad.py`), the same after the change that the
finding asks for (`good.py`), and a `workload.py` as in `deepperf.bench.worker`, which calls it with
what stands for models and data. Writes the raw values to `evaluation/modern` after each one; what
the file already has is not measured again.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import re
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from deepperf.bench.collect import WorkloadError
from deepperf.bench.launch import starting
from deepperf.bench.machine import this_machine
from deepperf.bench.measure import Round, SideError, measure, side_by_side
from deepperf.bench.worker import FRAMEWORKS
from deepperf.records import Pair, SourceFile
from deepperf.rules.evidence import Machine, digest

PAIRS = 5
RESULTS = Path("evaluation") / "modern"


def main(words: Sequence[str] | None = None) -> int:
    today = datetime.datetime.now(tz=datetime.timezone.utc).date().isoformat()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cutouts", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, default=RESULTS / f"gains-{today}.json")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="processes for each side")
    parser.add_argument("--remark", default="nothing else ran", help="on the machine meanwhile")
    arguments = parser.parse_args(words)
    workloads = sorted(arguments.folder.glob("*--*--*/workload.py"))
    found = [read_cutout(path.parent) for path in workloads]
    known = kept(arguments.output)
    machine = this_machine()
    rows: list[dict[str, Any]] = []
    with starting() as start:
        run_round = side_by_side(start)
        for number, pair in enumerate(found, 1):
            row = known.get(digest(pair)) or measured(pair, arguments.pairs, machine, run_round)
            rows.append(row | named(pair.id))
            print(pair.id, row.get("reason") or row["comparison"], flush=True)
            later = [known[one] for one in map(digest, found[number:]) if one in known]
            result = {
                "date": today,
                "machine": asdict(machine),
                "python": platform.python_version(),
                "remark": arguments.remark,
                "cutouts": rows + later,
            }
            arguments.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return int(any("reason" in row for row in rows))


def kept(path: Path) -> dict[str, dict[str, Any]]:
    """What an earlier run measured, by digest; what it could not measure is left out."""
    if not path.exists():
        return {}
    rows = json.loads(path.read_text(encoding="utf-8"))["cutouts"]
    return {row["digest"]: row for row in rows if "reason" not in row}


def read_cutout(folder: Path) -> Pair:
    """The pair in a folder; its framework is the first that the bad side imports."""
    text = {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in ("bad", "good")}
    imported = set(re.findall(r"^(?:import|from) (\w+)", text["bad"], re.MULTILINE))
    return Pair(
        id=folder.name,
        framework=next((name for name in FRAMEWORKS if name in imported), ""),
        bad=(SourceFile("cutout.py", text["bad"]),),
        good=(SourceFile("cutout.py", text["good"]),),
        workload=(folder / "workload.py").read_text(encoding="utf-8"),
    )


def measured(pair: Pair, pairs: int, machine: Machine, run_round: Round) -> dict[str, Any]:
    """What was measured of a cutout, or the reason why nothing was."""
    try:
        found = asdict(measure(pair, pairs, machine, lambda: None, run_round))
    except (SideError, WorkloadError) as error:
        return {"digest": digest(pair), "reason": str(error)}
    for name in ("pair", "machine", "python", "date"):
        del found[name]
    return found | {"versions": dict(found["versions"])}


def named(folder: str) -> dict[str, str]:
    """The finding that a folder is named after."""
    rule, repository, line = folder.rsplit("--", 2)
    return {"rule": rule, "repository": repository, "line": line}


if __name__ == "__main__":
    sys.exit(main())
