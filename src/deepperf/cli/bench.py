"""`deepperf bench`: measures the bad and the good code of rule pages, and writes the evidence."""

from __future__ import annotations

import argparse

HELP = "measure the bad and the good code of rules' pages, and write the evidence"
REPETITIONS = 7
QUICK_REPETITIONS = 3
NEEDED = {"numpy": "numpy", "psutil": "psutil", "cpuinfo": "py-cpuinfo", "scipy": "scipy"}


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("names", nargs="*", metavar="rule", help="the rules; all when left out")
    parser.add_argument(
        "--quick",
        action="store_const",
        const=QUICK_REPETITIONS,
        default=REPETITIONS,
        dest="repetitions",
        help=f"{QUICK_REPETITIONS} processes per side instead of {REPETITIONS}",
    )


def run(arguments: argparse.Namespace) -> int:
    """Measure; 1 when a side did not run. Raises WrongUse."""
    import importlib.util

    from deepperf.config.options import WrongUse
    from deepperf.rules.registry import UnknownRule, find_rules, named

    missing = [name for module, name in NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise WrongUse(f"bench needs {', '.join(missing)}: pip install 'deepperf[bench]'")
    try:
        rules = tuple(named(name) for name in arguments.names) or find_rules()
    except UnknownRule as error:
        raise WrongUse(str(error)) from None
    from deepperf.bench.campaign import measure_rules

    return 0 if measure_rules(rules, arguments.repetitions) else 1
