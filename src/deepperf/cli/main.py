"""Finds the verb, runs it, and turns what went wrong into a line and an exit code.

A verb is a module beside this one with `HELP`, `prepare(parser)` and `run(arguments)`, which
answers the exit code: 0 clean, 1 findings, 2 wrong use, 3 our fault. It may have
`spelled_out(words)`, which completes what the user may leave out after the verb.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from deepperf import __version__

INTERRUPTED = 130
PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and answer its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words in (["--version"], ["-V"]):
        print(f"deepperf {__version__}")
        return 0
    try:
        code = _run(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("deepperf: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader is gone; without this Python would complain again while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    return code


def program() -> None:
    """Run the command line of this process and leave, with its exit code.

    After a check the process ends at once: taking its trees apart, object by object, would
    cost a tenth of the check.
    """
    code = main()
    if sys.argv[1:2] == ["check"]:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    sys.exit(code)


def verbs() -> tuple[str, ...]:
    """The names of the verbs, in alphabetical order; nothing is imported."""
    names = (entry.name for entry in os.scandir(os.path.dirname(__file__)) if entry.is_file())
    stems = (name[:-3] for name in names if name.endswith(".py"))
    hidden = ("__init__", "main")
    return tuple(sorted(stem.replace("_", "-") for stem in stems if stem not in hidden))


def _run(words: list[str]) -> int:
    import argparse
    import gc
    from importlib import import_module

    from deepperf.config.options import WrongUse

    gc.disable()  # syntax trees are many small objects that live long: collecting costs the most
    known = verbs()
    parser = argparse.ArgumentParser(
        prog="deepperf",
        description="Finds, proves and fixes performance problems in deep-learning code.",
        epilog="Exit codes: 0 clean, 1 findings, 2 wrong use, 3 an error of deepperf itself.",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"deepperf {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="command", dest="verb")
    wanted = [words[0]] if words and words[0] in known else known
    for verb in wanted:
        module = import_module(f"deepperf.cli.{verb.replace('-', '_')}")
        command = commands.add_parser(
            verb, help=module.HELP, description=module.HELP, allow_abbrev=False
        )
        module.prepare(command)
        if len(wanted) == 1 and hasattr(module, "spelled_out"):
            words = [verb, *module.spelled_out(words[1:])]
        command.set_defaults(run=module.run)
    arguments = parser.parse_args(words)
    if arguments.verb is None:
        parser.print_help()
        return 2
    try:
        return int(arguments.run(arguments))
    except WrongUse as error:
        print(f"deepperf: {_one_line(str(error))}", file=sys.stderr)
        return 2
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:  # noqa: BLE001 - the last line of defence
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        said = _one_line(f"{type(error).__name__}: {error}")
        print(f"deepperf: internal error: {said} ({where})", file=sys.stderr)
        return 3


def _one_line(text: str) -> str:
    from deepperf.outputs.paint import harmless

    return harmless(" ".join(text.split()))


if __name__ == "__main__":
    program()
