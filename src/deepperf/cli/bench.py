"""`deepperf bench`: measures rules' examples, problems, whole programs; assesses approaches."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "measure rules' bad and good code, the problems and whole programs, assess approaches"
RULES, PROBLEMS, ASSESS, WORKLOADS = "rules", "problems", "assess", "workloads"
KINDS = (RULES, PROBLEMS, ASSESS, WORKLOADS)
REPETITIONS = 7
QUICK_REPETITIONS = 3
PROBLEM_REPETITIONS = 5
WORKLOAD_PARTS = ("measure", "check", "run", "prove")
NEEDED = {"numpy": "numpy", "psutil": "psutil", "cpuinfo": "py-cpuinfo", "scipy": "scipy"}
NEEDED_TO_DRAW = {"matplotlib": "matplotlib"}


def spelled_out(words: list[str]) -> list[str]:
    """The words after `bench`, where names of rules alone stand for `rules` and those names."""
    if words and (words[0] in KINDS or words[0] in ("-h", "--help")):
        return words
    return [RULES, *words]


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare what can be measured, and the arguments of each."""
    kinds = parser.add_subparsers(dest="kind", required=True, metavar="what")
    rules = kinds.add_parser(
        RULES,
        help="the pairs of rules' pages; may be left out: `bench serial-map`",
        description="Measure the bad and the good code of rules' pages, and write the evidence.",
    )
    rules.add_argument("names", nargs="*", metavar="rule", help="the rules; all when left out")
    rules.add_argument(
        "--quick",
        action="store_const",
        const=QUICK_REPETITIONS,
        default=REPETITIONS,
        dest="repetitions",
        help=f"{QUICK_REPETITIONS} processes per side instead of {REPETITIONS}",
    )
    rules.add_argument(
        "--changed", action="store_true", help="only pairs that were not measured as they are now"
    )
    problems = kinds.add_parser(
        PROBLEMS,
        help="the buggy and the fixed program of each problem",
        description="Measure the buggy and the fixed program of problems side by side, and "
        "write the evidence.",
    )
    _add_problems(problems)
    problems.add_argument(
        "--quick",
        action="store_const",
        const=1,
        default=PROBLEM_REPETITIONS,
        dest="repetitions",
        help=f"one process per side instead of {PROBLEM_REPETITIONS}, and so no intervals",
    )
    problems.add_argument(
        "--output", type=Path, metavar="DIR", help="write tables (JSON, Markdown) and a figure"
    )
    _prepare_assess(
        kinds.add_parser(
            ASSESS,
            help="what tools say of the problems",
            description="Ask tools about each problem, store what they say, and judge it by "
            "written rules.",
        )
    )
    _prepare_workloads(
        kinds.add_parser(
            WORKLOADS,
            help="whole programs as first written, tuned, and with each problem mended alone",
            description="Measure whole programs, ask check, run and prove about them, and write "
            "tables and a figure.",
        )
    )


def _prepare_workloads(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("names", nargs="*", metavar="workload", help="all when left out")
    parser.add_argument(
        "--workloads",
        type=Path,
        default=Path("workloads"),
        metavar="DIR",
        help="where they lie, which are not installed with deepperf (default: workloads)",
    )
    parser.add_argument(
        "--parts",
        nargs="+",
        choices=WORKLOAD_PARTS,
        default=WORKLOAD_PARTS,
        help="what is done; the rest stays as it is kept (default: all)",
    )
    parser.add_argument(
        "--rounds", type=int, default=1, metavar="N", help="pairs of each variant (default: 1)"
    )
    parser.add_argument(
        "--budget", default="60s", metavar="TIME", help="for prove, of each (default: 60s)"
    )
    parser.add_argument(
        "--output", type=Path, metavar="DIR", help="(default: results beside the workloads)"
    )


def _prepare_assess(parser: argparse.ArgumentParser) -> None:
    _add_problems(parser)
    parser.add_argument(
        "--approaches", nargs="+", default=(), metavar="approach", help="all when left out"
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        help="where raw outputs, tables and the figure go (default: results beside the problems)",
    )
    parser.add_argument(
        "--original", type=Path, metavar="DIR", help="where the original DeepPerf's scripts lie"
    )


def _add_problems(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that choose problems."""
    parser.add_argument("names", nargs="*", metavar="problem", help="all when left out")
    parser.add_argument(
        "--problems",
        type=Path,
        default=Path("problems"),
        metavar="DIR",
        help="where the problems lie, which are not installed with deepperf (default: problems)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure; 1 when a side did not run or showed no symptom. Raises WrongUse."""
    _require(NEEDED)
    kinds = {RULES: _rules, PROBLEMS: _problems, ASSESS: _assess, WORKLOADS: _workloads}
    return kinds[arguments.kind](arguments)


def _require(modules: dict[str, str]) -> None:
    import importlib.util

    from deepperf.config.options import WrongUse

    missing = [name for module, name in modules.items() if importlib.util.find_spec(module) is None]
    if missing:
        remedy = "pip install 'deepperf[bench]'"
        raise WrongUse(
            f"bench needs packages that are not installed: {', '.join(missing)}: {remedy}"
        )


def _rules(arguments: argparse.Namespace) -> int:
    from deepperf.config.options import WrongUse
    from deepperf.rules.registry import UnknownRule, find_rules, page_named

    try:
        rules = tuple(page_named(name) for name in arguments.names) or find_rules()
    except UnknownRule as error:
        if any(name.startswith("so-") for name in arguments.names):
            raise WrongUse(f"{error}; problems are measured by `bench {PROBLEMS}`") from None
        raise WrongUse(str(error)) from None
    from deepperf.bench.campaign import changed_pair, every_pair, measure_rules

    wanted = changed_pair if arguments.changed else every_pair
    return 0 if measure_rules(rules, arguments.repetitions, wanted) else 1


def _problems(arguments: argparse.Namespace) -> int:
    if arguments.output:
        _require(NEEDED_TO_DRAW)
    folders = _chosen(arguments)
    from deepperf.bench.problem_runs import measure_problems

    return 0 if measure_problems(folders, arguments.repetitions, arguments.output) else 1


def _assess(arguments: argparse.Namespace) -> int:
    from deepperf.bench.assess.approach import UnknownApproach, chosen
    from deepperf.config.options import WrongUse

    folders = _chosen(arguments)
    try:
        asked = chosen(arguments.approaches)
    except UnknownApproach as error:
        raise WrongUse(str(error)) from None
    from deepperf.bench.assess.run import assess

    output = arguments.output or arguments.problems / "results"
    return 0 if assess(folders, asked, output, arguments.original) else 1


def _workloads(arguments: argparse.Namespace) -> int:
    from deepperf.bench.workloads.workload import NoWorkloads, find_workloads, named
    from deepperf.config.options import WrongUse

    _require(NEEDED_TO_DRAW)
    if arguments.rounds < 1:
        raise WrongUse("--rounds takes a number from 1 on")
    try:
        everything = find_workloads(arguments.workloads)
        folders = named(arguments.names, everything)
    except NoWorkloads as error:
        raise WrongUse(str(error)) from None
    from deepperf.bench.machine import this_machine
    from deepperf.bench.workloads.campaign import Wanted, measure_workloads
    from deepperf.bench.workloads.report import write_report

    output = arguments.output or arguments.workloads / "results"
    wanted = Wanted(arguments.parts, arguments.rounds, arguments.budget)
    done = measure_workloads(folders, output, wanted, this_machine())
    for path in write_report(everything, output):
        print(f"wrote {path}")
    return 0 if done else 1


def _chosen(arguments: argparse.Namespace) -> tuple[Path, ...]:
    from deepperf.bench.problems import NoProblems, UnknownProblem, find_problems, named
    from deepperf.config.options import WrongUse

    try:
        return named(arguments.names, find_problems(arguments.problems))
    except (NoProblems, UnknownProblem) as error:
        raise WrongUse(str(error)) from None
