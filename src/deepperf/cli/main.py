"""Finds the verb, runs it, and turns what went wrong into a line and an exit code.

A verb is a module beside this one with `HELP`, `prepare(parser)` and `run(arguments)`, which
answers the exit code: 0 clean, 1 findings, 2 wrong use, 3 could not check. It may have
`spelled_out(words)`, which completes what the user may leave out after the verb.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence

from deepperf import __version__

TYPE_CHECKING = False  # as type checkers know it; importing `typing` takes longer than --version
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from types import ModuleType
    from typing import NoReturn

INTERRUPTED = 130
PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and answer its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    # A shell may have closed them; what is said then, nobody wants to hear.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - for good
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        # What a terminal's encoding lacks, such as that of Windows, ends no command.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if words in (["--version"], ["-V"]):
        words = ["--version"]
    try:
        code = _told_version() if words == ["--version"] else _run(words)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("deepperf: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader is gone; without this Python would complain again while it shuts down.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except OSError as error:
        print(f"deepperf: the output cannot be written: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 3
    return code


def _told_version() -> int:
    print(f"deepperf {__version__}")
    return 0


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


def help_of_verbs() -> dict[str, str]:
    """What each verb, and each of its own verbs, says to `--help`, by its whole name."""
    return {" ".join(path): one.format_help() for path, one in every_parser(parsers(verbs())[0])}


def every_parser(
    parser: ArgumentParser, above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], ArgumentParser]]:
    """The parsers of all verbs below one, in depth, by the words that lead to them."""
    for action in parser._actions:
        if isinstance(action.choices, dict):
            for verb, below in action.choices.items():
                yield (*above, verb), below
                yield from every_parser(below, (*above, verb))


def parsers(shown: Sequence[str]) -> tuple[ArgumentParser, Mapping[str, ArgumentParser]]:
    """A parser that knows some verbs, and that of each; the modules of these are imported."""
    parser = _parser_type()(
        prog="deepperf",
        description="Finds, proves and fixes performance problems in deep-learning code.",
        epilog="Exit codes: 0 clean, 1 findings, 2 wrong use, 3 could not check.",
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=f"deepperf {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="command", dest="verb")
    for verb in shown:
        module = _module_of(verb)
        command = commands.add_parser(
            verb, help=module.HELP, description=module.HELP, allow_abbrev=False
        )
        module.prepare(command)
        command.set_defaults(run=module.run)
    return parser, commands.choices


def _module_of(verb: str) -> ModuleType:
    from importlib import import_module

    return import_module(f"deepperf.cli.{verb.replace('-', '_')}")


def _run(words: list[str]) -> int:
    import errno
    import gc
    import re

    from deepperf.config.options import WrongUse

    gc.disable()  # syntax trees are many small objects that live long: collecting costs the most
    known = verbs()
    if words and not words[0].startswith("-") and words[0] not in known:
        print(f"deepperf: {_no_verb(words[0], known)}", file=sys.stderr)
        return 2
    wanted = words[:1] if words and words[0] in known else known
    parser, commands = parsers(wanted)
    if wanted == words[:1]:
        spelled_out = getattr(_module_of(words[0]), "spelled_out", list)
        words = [words[0], *spelled_out(words[1:])]
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        from deepperf.spelling import near

        usage = commands[arguments.verb].format_usage() if arguments.verb else ""
        options = re.findall(r"--[\w-]+", usage)
        said = f"unknown arguments: {' '.join(unknown)}{near(unknown[0], options)}"
        print(f"deepperf: {_one_line(said)}", file=sys.stderr)
        return 2
    if arguments.verb is None:
        parser.print_help()
        return 2
    try:
        os.getcwd()
    except FileNotFoundError:
        print("deepperf: the current folder is gone", file=sys.stderr)
        return 2
    try:
        return int(arguments.run(arguments))
    except WrongUse as error:
        print(f"deepperf: {_one_line(str(error))}", file=sys.stderr)
        return 2
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno == errno.ENOSPC:
            raise
        if isinstance(error, ModuleNotFoundError) and (said := _not_installed(error)):
            print(f"deepperf: {said}", file=sys.stderr)
            return 2
        import traceback

        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno}"
        said = _one_line(f"{type(error).__name__}: {error}")
        print(f"deepperf: internal error: {said} ({where})", file=sys.stderr)
        return 3


def _not_installed(error: ModuleNotFoundError) -> str:
    """What to install, "" where that cannot help."""
    from deepperf.cli.doctor import extra_of

    module = (error.name or "").partition(".")[0]
    extra = extra_of(module)
    remedy = f"pip install 'deepperf[{extra}]'"
    return f"this needs {module}, which is not installed: {remedy}" if extra else ""


def _parser_type() -> type[ArgumentParser]:
    """Parsers that say in one line what is wrong, without all that would be right."""
    from argparse import ArgumentParser

    class Parser(ArgumentParser):
        def error(self, message: str) -> NoReturn:
            self.exit(2, f"{self.prog}: {_one_line(message)}\n")

    return Parser


def _no_verb(word: str, known: Sequence[str]) -> str:
    """What to say to somebody whose first word is no command."""
    from deepperf.spelling import near

    if os.path.exists(word):
        return f"{_one_line(word)} is no command; did you mean 'deepperf check {_one_line(word)}'?"
    return f"there is no command {word!r}" + (
        near(word, known) or f"; known are {', '.join(known)}"
    )


def _one_line(text: str) -> str:
    from deepperf.outputs.paint import harmless

    return harmless(" ".join(text.split()))


if __name__ == "__main__":
    program()
