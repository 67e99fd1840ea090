"""`deepperf prove`: tries what may help on the user's own command, and says what does."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.cli.report import screen_of
from deepperf.config.options import WrongUse

if TYPE_CHECKING:
    from deepperf.prove.proving import Proof, Request

HELP = "try what may help on your own command, in a copy, and say what does and by how much"
FORMATS = ("text", "json", "html")
INTERRUPTED = 130
"""The exit status of what Ctrl-C has ended."""
UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.usage = "deepperf prove [options] -- python script.py ... | -- python -m module ..."
    add = parser.add_argument
    add("--budget", type=_seconds, default=600.0, metavar="TIME", help="such as 90s, 10m (default)")
    add(
        "--check",
        action="append",
        default=[],
        metavar="FILE",
        help="a file that the program writes, and that is to stay the same (may be given again)",
    )
    add("--metric", default="", metavar="REGEX", help="finds numbers in the output to compare")
    add("--tolerance", type=float, default=1e-3, help="relative difference allowed between numbers")
    add("--threads", type=int, default=1, help="threads of the frameworks' pools, 0 for no limit")
    add("--only", action="append", metavar="NAME,...", help="only these rules and opportunities")
    add(
        "--copy",
        action="append",
        default=[],
        metavar="PATTERN",
        help="large or ignored files to copy, not to link, since the program writes to them",
    )
    add("--format", choices=FORMATS, default="text", help="(default: text)")
    add("--output", type=Path, metavar="FILE", help="write the report here")
    add("--patch", type=Path, metavar="FILE", help="write what is proven here, for `git apply`")
    add("--apply", action="store_true", help="change the project's files as is proven")
    add("program", nargs=argparse.REMAINDER, help="the script and its arguments")


def _seconds(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(s|m|min|h)?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 90s or 10m")
    return float(match[1]) * UNITS[match[2] or ""]


def run(arguments: argparse.Namespace) -> int:
    """Prove, and show what came of it. Raises `WrongUse`."""
    import importlib.util

    if importlib.util.find_spec("scipy") is None:
        raise WrongUse("prove needs SciPy: pip install 'deepperf[prove]'")
    from deepperf.prove.proving import NotProvable, prove

    request = _request(arguments)
    is_terminal = sys.stderr.isatty()
    begin = "\r\x1b[K" if is_terminal else ""
    end = "" if is_terminal else "\n"
    try:
        with _ended_by_signals():
            proof = prove(
                request,
                lambda what: print(
                    f"{begin}deepperf: {what}", end=end, file=sys.stderr, flush=True
                ),
            )
    except NotProvable as error:
        print(f"{begin}deepperf: {error}", file=sys.stderr)
        return 3
    finally:
        print(begin, end="", file=sys.stderr)
    _show(proof, arguments)
    if proof.interrupted:
        if arguments.apply and proof.change.files:
            print("deepperf: interrupted: nothing was changed", file=sys.stderr)
        return INTERRUPTED
    return _apply(proof) if arguments.apply else 0


def _request(arguments: argparse.Namespace) -> Request:
    from deepperf.dynamic.launch import program_of
    from deepperf.prove.proving import Request

    try:
        re.compile(arguments.metric)
    except re.error as error:
        raise WrongUse(f"--metric {arguments.metric!r}: {error}") from None
    for path in (arguments.output, arguments.patch):
        if path is not None and not path.absolute().parent.is_dir():
            raise WrongUse(f"{path}: there is no folder for it")
    return Request(
        words=tuple(program_of(arguments.program)),
        folder=Path.cwd(),
        budget=arguments.budget,
        compared=tuple(arguments.check),
        metric=arguments.metric,
        tolerance=arguments.tolerance,
        threads=arguments.threads,
        copied=tuple(arguments.copy),
        only=_chosen(arguments.only),
    )


def _chosen(values: Sequence[str] | None) -> tuple[str, ...]:
    """The rules and opportunities that are to be tried, none for all. Raises `WrongUse`."""
    from deepperf.check.select import expand, selectors
    from deepperf.cli.check import named
    from deepperf.prove.offer import name_of, opportunities
    from deepperf.rules.registry import load_rules

    names = {name_of(module): frozenset({name_of(module)}) for module in opportunities()}
    return tuple(sorted(expand(named("--only", values), {**selectors(load_rules()), **names})))


def _show(proof: Proof, arguments: argparse.Namespace) -> None:
    from deepperf.dynamic.report import Screen
    from deepperf.prove.report import patch_of, shown

    screen = screen_of(sys.stdout) if arguments.output is None else Screen()
    text = shown(proof, arguments.format, screen)
    patch = patch_of(proof)
    if arguments.output is None:
        print(text, end="", flush=True)
    else:
        arguments.output.write_text(text, encoding="utf-8", errors="backslashreplace")
    if arguments.patch is not None:
        arguments.patch.write_bytes(patch)
    elif patch and arguments.format == "text" and arguments.output is None:
        print("\nThe patch (--patch FILE writes it, --apply makes the change):\n", flush=True)
        sys.stdout.buffer.write(patch)
        sys.stdout.flush()


def _apply(proof: Proof) -> int:
    """Change the files that are still as they were; 1 where one is not."""
    from deepperf.prove.applying import apply_proof

    failures = apply_proof(proof)
    for failure in failures:
        print(f"deepperf: {failure}", file=sys.stderr)
    return int(bool(failures))


class _ended_by_signals:  # noqa: N801 - read as a phrase
    """While it is entered, what ends a process ends it as Ctrl-C does: everything is put away."""

    def __enter__(self) -> None:
        import signal

        def stop(number: int, _: object) -> None:
            raise KeyboardInterrupt(number)

        names = ("SIGTERM", "SIGHUP")
        self._before = {
            number: signal.signal(number, stop)
            for name in names
            if (number := getattr(signal, name, None)) is not None
        }

    def __exit__(self, *_: object) -> None:
        import signal

        for number, handler in self._before.items():
            signal.signal(number, handler)
