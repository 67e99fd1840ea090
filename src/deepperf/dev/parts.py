"""The parts of documents that programs write: tables, figures, and a screen of the demo."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepperf.dev import bar, calibration, modern, proven
from deepperf.dev.compiled_reading import (
    fifth_probes_table,
    fourth_probes_table,
    hybridized_table,
    judged_table,
    probes_table,
    second_probes_table,
    third_probes_table,
)
from deepperf.dev.compiled_tables import architectures_table, recompiled_table, versions_table
from deepperf.dev.fixed_functions import fixed_functions_table
from deepperf.dev.planted import FIRST_SIGHTS, planted_table, sight_tables

if TYPE_CHECKING:
    from deepperf.scan.judgements import Judgement

_PART = re.compile(
    r"(?P<begin><!-- begin: (?P<name>\w+) -->\n).*?(?P<end><!-- end: (?P=name) -->)", re.DOTALL
)

DEMO_FILES = ("demo/tidewatch/torch_trainer.py",)


class UnknownPart(ValueError):
    """A document with a part that nothing here writes."""


def filled(text: str, root: Path) -> str:
    """The text of a document with each part between its marks written anew.

    Raises `UnknownPart` for a mark that names no part.
    """

    def fill(found: re.Match[str]) -> str:
        write = PARTS.get(found["name"])
        if write is None:
            raise UnknownPart(f"no program writes the part {found['name']!r}")
        return f"{found['begin']}{write(root).strip()}\n{found['end']}"

    return _PART.sub(fill, text)


def topics_list(_: Path) -> str:
    """How many rules there are, by topic; all are in `docs/rules/`."""
    from deepperf.rules.registry import find_rules

    counts = Counter(files.topic.replace("_", " ") for files in find_rules())
    told = ", ".join(f"{topic} ({number})" for topic, number in sorted(counts.items()))
    return f"{counts.total()} rules, by topic: {told}."


def screen(root: Path) -> str:
    """What `deepperf check` prints of two files of the demo."""
    words = ["check", *DEMO_FILES]
    command = [sys.executable, "-m", "deepperf", *words, "--no-cache"]
    # Exit code 1 is what findings give; anything above is a failure of ours.
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return f"```console\n$ deepperf {' '.join(words)}\n{done.stdout.rstrip()}\n```"


def figures_list(root: Path) -> str:
    """Six figures, each with the document that tells more."""
    from deepperf.dev.figures import figures

    return figures(root)


def run_screen(root: Path) -> str:
    """What `deepperf run` said of the demo when it was last recorded."""
    from deepperf.dev.demo import SCREEN

    return _kept(root / SCREEN)


def proof_screen(root: Path) -> str:
    """What `deepperf prove` said of the demo when it was last tried."""
    from deepperf.dev.demo import PROOF

    return _kept(root / PROOF)


def _kept(path: Path) -> str:
    return f"```console\n{path.read_text(encoding='utf-8').rstrip()}\n```"


def corpus_table(root: Path) -> str:
    """What became of the hits that were read, by rule, and how many are true."""
    from deepperf.scan.judgements import load_judgements
    from deepperf.scan.standing import read_standings, table

    folder = root / "corpus" / "judgements"
    judged = load_judgements(folder.glob("*.toml"))
    return table(judged, read_standings(root / "corpus" / "standings.json"))


def draws_table(root: Path) -> str:
    """How right the rules were on findings, drawn at random, that nobody had read."""
    from deepperf.scan.judgements import load_judgements

    folder = root / "corpus" / "judgements"
    # By length first: the tenth comes after the ninth.
    draws = sorted(folder.glob("*-draw-*.toml"), key=lambda path: (len(path.stem), path.stem))
    rows = [
        "| drawn | read | true | arguable | false |",
        "|---|---|---|---|---|",
        *(
            _verdicts(path.stem.replace("-draw-", ", draw "), load_judgements([path]))
            for path in draws
        ),
    ]
    judged = {one.key: one for one in load_judgements(folder.glob("*.toml"))}
    for path in sorted((root / "corpus" / "second_readings").glob("*.toml")):
        day, reader = path.stem.split("-reader-")
        again = load_judgements([path])
        if reader == "1":
            first = [judged[one.key] for one in again]
            rows.append(_verdicts(f"{day}, drawn from those above", first))
        rows.append(_verdicts(f"the same, read by another ({reader})", again))
    return "\n".join(rows)


def _verdicts(name: str, judged: Sequence[Judgement]) -> str:
    verdicts = Counter(one.verdict.value for one in judged)
    counts = [verdicts[verdict] for verdict in ("true", "arguable", "false")]
    return f"| {name} | {len(judged)} | {' | '.join(map(str, counts))} |"


def watched_table(root: Path) -> str:
    """What `deepperf run` found in public training scripts, and how right it was."""
    from deepperf.scan.judgements import load_judgements
    from deepperf.scan.scripts import load_scripts
    from deepperf.scan.watched import read_results, table

    home = root / "runs"
    judged = load_judgements((root / "evaluation" / "watched").glob("*.toml"))
    return table(load_scripts(home / "scripts.toml"), read_results(home / "results"), judged)


def speed_table(root: Path) -> str:
    """The newest table of `python -m benchmarks.speed`."""
    results = sorted((root / "benchmarks" / "results").glob("*.md"))
    return results[-1].read_text(encoding="utf-8") if results else ""


def overhead_table(root: Path) -> str:
    """The newest table of `python -m benchmarks.overhead`."""
    results = sorted((root / "benchmarks" / "results" / "overhead").glob("*.md"))
    return results[-1].read_text(encoding="utf-8") if results else ""


def overhead_steps_table(root: Path) -> str:
    """The newest table of `python -m benchmarks.overhead --steps`."""
    results = sorted((root / "benchmarks" / "results" / "overhead" / "steps").glob("*.md"))
    return results[-1].read_text(encoding="utf-8") if results else ""


def gpu_table(root: Path) -> str:
    """The newest results of `python benchmarks/gpu.py`: what a smell costs on a GPU."""
    path = max((root / "benchmarks" / "results" / "gpu").glob("*.json"))
    result = json.loads(path.read_text(encoding="utf-8"))
    where = f"{result['gpu']}, PyTorch {result['torch']}, {result['date']}"
    rows = [
        f"{where}; the middle, least and greatest of the ratios of pairs that ran in turn.",
        "",
        "| rule | size | time beside the remedy |",
        "|---|---|---|",
    ]
    for pair in result["pairs"]:
        ratio = pair["ratio"]
        span = f"{ratio['least']:.2f} to {ratio['greatest']:.2f}"
        rows.append(f"| {pair['rule']} | {pair['size']} | {ratio['median']:.2f}x ({span}) |")
    return "\n".join(rows)


def scan_table(root: Path) -> str:
    """The newest result of `python -m benchmarks.scan`: the same packages on several engines."""
    return _scan_table(root / "benchmarks" / "results" / "scan")


def pinned_scan(root: Path) -> str:
    """The same of the pinned packages alone."""
    return _scan_table(root / "benchmarks" / "results" / "scan" / "pinned")


def _scan_table(folder: Path) -> str:
    result = json.loads(max(folder.glob("*.json")).read_text(encoding="utf-8"))
    at = {name: place for place, name in enumerate(result["columns"])}
    machine, versions = result["machine"], result["versions"]
    where = f"{machine['cpu']}, {machine['cores']} cores, Python {versions['python']}"
    limits = result["limits"]
    head = (
        "engine", "packages", "lines", "done", "out of time", "other endings", "CPU s", "longest",
        "most memory", "elapsed",
    )  # fmt: skip
    told = f"a package may take {limits['seconds']:g} s and {limits['memory'] / 1024**3:g} GiB"
    lines = [
        f"{where}, {result['date']}; {told}.",
        "",
        f"| {' | '.join(head)} |",
        "|---" * len(head) + "|",
    ]
    for engine in result["engines"]:
        rows = engine["packages"]
        states = Counter(row[at["state"]] for row in rows)
        other = len(rows) - states["done"] - states["out of time"]
        seconds = [row[at["seconds"]] for row in rows]
        lines.append(
            f"| {engine['via']}, {engine['workers']} at a time | {len(rows)} | "
            f"{sum(row[at['lines']] or 0 for row in rows):,} | {states['done']} | "
            f"{states['out of time']} | {other} | {sum(seconds):,.0f} | {max(seconds):.0f} s | "
            f"{max(row[at['peak MiB']] for row in rows):,} MiB | {engine['seconds'] / 60:.0f} min |"
        )
    lines += ["", _compared(result)]
    return "\n".join(lines)


def _compared(result: Mapping[str, Any]) -> str:
    unlike = result["unlike"]
    names = ", ".join(name for name, _ in unlike)
    which = f"all but {len(unlike)} ({names})" if unlike else "all"
    rules = result["engines"][0]["rules"]
    warnings, notes = sum(row[1] for row in rules), sum(row[2] for row in rules)
    same = (
        f"Of {result['compared']} packages that were checked to the end on all engines, {which} "
        f"have the same findings on all; the first engine has {warnings:,} warnings and "
        f"{notes:,} notes of {len(rules)} rules."
    )
    if "simulated" not in result:
        return same
    simulated, diff = result["simulated"], result["diff"]
    cluster = simulated["cluster"]
    return (
        f"{same}\n\n"
        f"A simulated scan of {simulated['packages']:,} packages like these takes "
        f"{simulated['hours']:.1f} hours on {cluster['slots']:.0f} cores, and costs "
        f"{simulated['per_thousand']:.2f} for 1,000 packages, were a core's hour "
        f"{cluster['price']:g}; {simulated['lost_batches']:,} batches are lost with a machine, and "
        f"{simulated['lost']} rows. "
        f"`scan diff` between two runs over {diff['packages']:,} packages with "
        f"{diff['findings']:,} findings in all takes {diff['seconds']:.0f} s."
    )


def problems_table(root: Path) -> str:
    """By how much the buggy programs of the problems are worse, by cause."""
    from deepperf.bench.problem_runs import recorded_rows
    from deepperf.bench.problem_table import counts_by_cause
    from deepperf.bench.problems import find_problems

    return counts_by_cause(recorded_rows(find_problems(root / "problems")))


def assess_table(root: Path) -> str:
    """What approaches say of the problems: verdicts, and help by cause beside the paper's."""
    from deepperf.bench.assess import table
    from deepperf.bench.assess.approach import approaches
    from deepperf.bench.assess.stored import PAPER, answers, read_paper
    from deepperf.bench.problems import find_problems, read_problem

    folder = root / "problems"
    problems = [read_problem(path) for path in find_problems(folder)]
    given = answers(folder / "results", approaches().values(), problems)
    parts = (
        table.counts(given),
        table.by_cause(given, read_paper(folder / PAPER)),
        table.own_sentences(given),
    )
    return "\n\n".join(parts)


def workloads_table(root: Path) -> str:
    """What was measured of whole programs, and what check, run and prove said of them."""
    from deepperf.bench.workloads.report import kept
    from deepperf.bench.workloads.table import by_problem, by_system, place_of, summary
    from deepperf.bench.workloads.workload import find_workloads

    folder = root / "workloads"
    rows = kept(find_workloads(folder), folder / "results")
    return "\n\n".join((place_of(rows), summary(rows), by_system(rows), by_problem(rows)))


def workloads_gpu_table(root: Path) -> str:
    """What each patch saves on a GPU, by the newest run of `benchmarks/workloads_gpu.py`."""
    path = max((root / "workloads" / "results" / "gpu").glob("*.json"))
    result = json.loads(path.read_text(encoding="utf-8"))
    rows = [
        f"{result['gpu']}, PyTorch {result['torch']}, {result['date']}; {result['remark']}.",
        "",
        "| program | patch | time saved, of each pair |",
        "|---|---|---|",
    ]
    for program, variants in result["programs"].items():
        for name, pairs in variants.items():
            saved = ", ".join(f"{1 - after / before:.0%}" for before, after in pairs)
            rows.append(f"| `{program}` | {name} | {saved} |")
    return "\n".join(rows)


def samples(root: Path) -> str:
    """What `check` tells of a sample of each candidate of the catalogue."""
    return _samples(root, "first")


def second_samples(root: Path) -> str:
    """The same of others, written when the rules had been mended by the first ones."""
    return _samples(root, "second")


def third_samples(root: Path) -> str:
    """The same for those of two more authors."""
    return _samples(root, "third")


def _samples(root: Path, folder: str) -> str:
    from deepperf.dev.samples import samples_tables
    from deepperf.rules.registry import find_refusals, find_rules

    pages = {one.name for one in (*find_rules(), *find_refusals())}
    return samples_tables(root / "evaluation" / "samples" / folder, pages)


def compilers(root: Path) -> str:
    """What of the optimizations of compilers a rule, a signal or `prove` touches."""
    from deepperf.dev.compilers import compilers_table

    return compilers_table(root / "workloads" / "compilers.toml")


PARTS: Mapping[str, Callable[[Path], str]] = {
    "topics": topics_list,
    "screen": screen,
    "figures": figures_list,
    "run": run_screen,
    "proof": proof_screen,
    "proven": proven.proven_table,
    "proven_problems": proven.proven_problems_table,
    "nulls": proven.nulls_table,
    "corpus": corpus_table,
    "draws": draws_table,
    "watched": watched_table,
    "speed": speed_table,
    "overhead": overhead_table,
    "overhead_steps": overhead_steps_table,
    "modern": modern.modern_table,
    "standing": bar.standing_table,
    "calibration": calibration.calibration_table,
    "gains": modern.gains_table,
    "gpu": gpu_table,
    "fixed_functions": fixed_functions_table,
    "architectures": architectures_table,
    "recompiled": recompiled_table,
    "probes": probes_table,
    "second_probes": second_probes_table,
    "third_probes": third_probes_table,
    "fourth_probes": fourth_probes_table,
    "fifth_probes": fifth_probes_table,
    "judged_compiled": judged_table,
    "versions": versions_table,
    "hybridized": hybridized_table,
    "scan": scan_table,
    "pinned_scan": pinned_scan,
    "problems": problems_table,
    "assess": assess_table,
    "workloads": workloads_table,
    "workloads_gpu": workloads_gpu_table,
    "compilers": compilers,
    "planted": planted_table,
    **{folder: partial(sight_tables, folder=folder) for folder in FIRST_SIGHTS},
    "samples": samples,
    "second_samples": second_samples,
    "third_samples": third_samples,
}
