"""`deepperf dev`: for those who work on deepperf itself."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "work on deepperf itself: a new rule's files, the documents, random programs"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own verbs."""
    verbs = parser.add_subparsers(dest="dev_verb", required=True, metavar="verb")
    new_rule = verbs.add_parser("new-rule", help="write the page and the check of a new rule")
    new_rule.add_argument("place", metavar="topic/name", help="input_pipeline/serial-map, say")
    verbs.add_parser("demo-run", help="run the demo watched, and keep its screen for the documents")
    verbs.add_parser("demo-prove", help="prove what helps the demo, and keep the screen")
    fuzz = verbs.add_parser("fuzz", help="check programs whose trees were changed at random")
    fuzz.add_argument("--count", type=int, default=10_000, help="how many programs")
    fuzz.add_argument("--seed", type=int, default=0, help="other programs for each number")
    calibrate = verbs.add_parser(
        "calibrate", help="which estimates and thresholds tell findings that are worth a change"
    )
    calibrate.add_argument("--output", type=Path, help="keep the result in a new file")
    verbs.add_parser("docs", help="write what programs write in the README and in docs/")
    site = verbs.add_parser("site", help="write the sources of the site, for Sphinx")
    site.add_argument("folder", type=Path)


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked. Raises WrongUse outside the repository, and for a wrong or taken name."""
    if arguments.dev_verb == "demo-run":
        return _demo_run()
    if arguments.dev_verb == "demo-prove":
        return _demo_prove()
    if arguments.dev_verb == "fuzz":
        return _fuzz(arguments.count, arguments.seed)
    if arguments.dev_verb == "calibrate":
        return _calibrate(arguments.output)
    if arguments.dev_verb == "site":
        return _site(arguments.folder)
    return _docs() if arguments.dev_verb == "docs" else _new_rule(arguments)


def _require_repository(folder: Path) -> None:
    from deepperf.config.options import WrongUse

    if not (folder / "src" / "deepperf").is_dir():
        raise WrongUse("this verb works on deepperf's repository: run it there")


def _demo_run() -> int:
    from deepperf.dev.demo import PICTURE, SCREEN, record_demo_run

    _require_repository(Path())
    record_demo_run(Path())
    print(f"wrote {SCREEN} and {PICTURE}; now: deepperf dev docs")
    return 0


def _demo_prove() -> int:
    from deepperf.dev.demo import PROOF, record_demo_proof

    _require_repository(Path())
    record_demo_proof(Path())
    print(f"wrote {PROOF}; now: deepperf dev docs")
    return 0


def _fuzz(count: int, seed: int) -> int:
    from deepperf.dev.fuzz import fuzz

    _require_repository(Path())
    path, crashes = fuzz(Path(), count, seed)
    for crash in crashes:
        print(f"{crash.times} times, first in program {crash.number}: {crash.message}")
    print(f"wrote {path}")
    return 1 if crashes else 0


def _calibrate(output: Path | None) -> int:
    from deepperf.dev.calibration import calibrated, calibration_text, write_calibration

    _require_repository(Path())
    result = calibrated(Path())
    print(calibration_text(result))
    if output is not None:
        write_calibration(result, output)
        print(f"\nwrote {output}; now: deepperf dev docs")
    return 0


def _docs() -> int:
    from deepperf.dev.documents import write_documents

    _require_repository(Path())
    for path in write_documents(Path()):
        print(f"wrote {path}")
    return 0


def _site(folder: Path) -> int:
    from deepperf.cli.main import help_of_verbs
    from deepperf.dev.site import write_site

    _require_repository(Path())
    write_site(Path(), folder, help_of_verbs())
    return 0


def _new_rule(arguments: argparse.Namespace) -> int:
    from deepperf.dev.new_rule import new_rule
    from deepperf.rules.registry import RULES_FOLDER

    _require_repository(RULES_FOLDER.parents[2])
    page, check = new_rule(arguments.place, RULES_FOLDER)
    print(f"wrote {page}\nwrote {check}")
    name = page.parent.name.replace("_", "-")
    print(f"now: pytest tests/rules/test_pages.py -k {name} says what is left to do")
    return 0
