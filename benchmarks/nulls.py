"""How often `deepperf prove` calls something faster that is not: `python -m benchmarks.nulls`.

Whole sessions are run in which every candidate only adds a comment to a small program; with
`--gain 0.05` it also does so much less, and what is to be seen is how often that is found. Writes
what was said of each to `evaluation/prove`, after every session. `--script` takes another program,
such as a training on an accelerator, to which comments alone can be added.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from deepperf.bench.machine import this_machine
from deepperf.prove.compared import values_of
from deepperf.prove.copying import copy_project, planned, walked
from deepperf.prove.measuring import Bench, Judged, Trial, race
from deepperf.prove.offer import Machine, Quantity
from deepperf.prove.proving import Session
from deepperf.prove.runs import UNCHANGED, Change, Program, serving
from deepperf.prove.sameness import Expected, expected_of
from deepperf.prove.workplace import workplace

WORK = 700_000
MORE_WORK = 5
"""How many times as much it is where something can be won: starting is to be little beside it."""
SCRIPT = "print(sum(n * n % 7 for n in range({})) > 1)\n"
ENOUGH = 0.8
"""Part of true gains that have to be found."""
RESULTS = Path("evaluation") / "prove"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nulls", description=__doc__)
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--candidates", type=int, default=20)
    parser.add_argument("--gain", type=float, default=0.0, help="the part that each saves")
    parser.add_argument("--script", type=Path, help="a program instead of the small one")
    parser.add_argument("--suffix", default="", help="of the name of the result")
    parser.add_argument("--remark", default="nothing else ran", help="on the machine meanwhile")
    parser.add_argument("--seconds", type=float, default=1e9, help="no session begins later")
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args(words)
    if arguments.script and arguments.gain:
        parser.error("only of the small program a part can be left out")
    until = time.monotonic() + arguments.seconds
    sessions: list[list[dict[str, Any]]] = []
    machine = asdict(this_machine())
    kind = "power" if arguments.gain else "nulls"
    for _ in range(arguments.sessions):
        if time.monotonic() > until:
            break
        if arguments.script:
            said = session_of(arguments.script.read_text(encoding="utf-8"), arguments.candidates)
        else:
            said = session(arguments.candidates, arguments.gain)
        sessions.append([_plain(one) for one in said])
        result = {
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "machine": machine,
            "sessions": len(sessions),
            "candidates": arguments.candidates,
            "gain": arguments.gain,
            "script": str(arguments.script or ""),
            "remark": arguments.remark,
            "answers": Counter(one["answer"] for each in sessions for one in each),
            "said": sessions,
        }
        arguments.output.mkdir(parents=True, exist_ok=True)
        path = arguments.output / f"{kind}-{result['date']}{arguments.suffix}.json"
        path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        print(len(sessions), dict(result["answers"]), flush=True)
    faster = [one["answer"] == "faster" for each in sessions for one in each]
    return int(sum(faster) < ENOUGH * len(faster) if arguments.gain else any(faster))


def session(candidates: int, gain: float = 0.0) -> list[Judged]:
    """What is said of candidates that change nothing, or save a part, in one run of prove."""
    work = WORK * MORE_WORK if gain else WORK
    return _judged(SCRIPT.format(work), SCRIPT.format(round(work * (1 - gain))), candidates)


def session_of(script: str, candidates: int) -> list[Judged]:
    """What is said of candidates that change nothing in a program."""
    return _judged(script, script, candidates)


def _judged(before: str, after: str, candidates: int) -> list[Judged]:
    with tempfile.TemporaryDirectory() as folder, workplace() as place:
        root = Path(folder) / "project"
        root.mkdir()
        (root / "train.py").write_text(before, encoding="utf-8")
        template = place.folder / "template"
        template.mkdir()
        copy_project(root, planned(walked(root), lambda _: False), template)
        with serving(1, place) as one, serving(1, place, number=1) as other:
            runs = Session(Program(root, ".", ("train.py",)), place, (one, other), {})
            references = [runs.run(UNCHANGED) for _ in range(2)]
            expected = expected_of(references)
            assert isinstance(expected, Expected)
            bench = Bench(
                run=runs.run,
                beside=runs.beside,
                apart=runs.apart,
                expected=expected,
                machine=Machine(1, int(references[0].accelerated)),
                candidates=candidates,
                until=time.perf_counter() + 1e6,
                tell=lambda _: None,
            )
            changes = [
                Change({"train.py": f"{after}# {number:03}\n".encode()})
                for number in range(candidates)
            ]
            said = race(bench, [Trial("", change, Quantity.CPU) for change in changes])
            return [said[number] for number in range(candidates)]


def _plain(judged: Judged) -> dict[str, Any]:
    machine = Machine(1, int(any(cost.paced for cost in judged.pairs.both)))
    before, after = values_of(judged.quantity, judged.pairs, machine)
    return {
        "answer": judged.answer.value,
        "gain": asdict(judged.gain) if judged.gain is not None else None,
        "said": judged.said,
        "quantity": judged.quantity.value,
        "before": [round(value, 6) for value in before],
        "after": [round(value, 6) for value in after],
        "whole": [
            [round(cost.wall, 4) for cost in costs]
            for costs in (judged.pairs.before, judged.pairs.after)
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
