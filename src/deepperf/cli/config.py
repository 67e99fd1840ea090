"""`deepperf config`: which settings hold, and where they come from."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from deepperf.check.survey import Start
    from deepperf.config.load import Settings

HELP = "which settings hold, and where they come from"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's own verbs."""
    verbs = parser.add_subparsers(required=True, metavar="verb")
    show = verbs.add_parser("show", help="the settings that a check of these paths uses, as TOML")
    show.add_argument("paths", nargs="*", default=["."], help="files and folders")
    prepare_config(show)


def prepare_settings(parser: argparse.ArgumentParser) -> None:
    """Declare where settings come from, and tell in the help which there are."""
    from deepperf.config.load import KEYS

    prepare_config(parser)
    width = max(map(len, KEYS))
    keys = (f"  {name:<{width}}  {key.meaning} ({key.wanted})" for name, key in KEYS.items())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n".join(
        ("settings, in [tool.deepperf] of pyproject.toml or in deepperf.toml:", *keys)
    )


def prepare_config(parser: argparse.ArgumentParser) -> None:
    """Declare the options that say where settings come from."""
    chosen = parser.add_mutually_exclusive_group()
    chosen.add_argument(
        "--config", type=Path, metavar="FILE", help="the settings in this file, and no others"
    )
    chosen.add_argument(
        "--isolated", action="store_true", help="the default settings, whatever files say"
    )


def settings_from(arguments: argparse.Namespace) -> Settings:
    """Where the settings come from. Raises `WrongUse` for a file that holds none."""
    from deepperf.config.load import load_options, no_settings, settings_in

    if arguments.config is not None:
        return settings_in(arguments.config)
    return no_settings if arguments.isolated else load_options


def run(arguments: argparse.Namespace) -> int:
    """Show the settings of each project. Raises `WrongUse`."""
    from deepperf.check.paths import starts
    from deepperf.outputs.paint import harmless

    found = starts(arguments.paths, lambda options: options, settings_from(arguments))
    for number, start in enumerate(found):
        if number:
            print()
        for line in _lines(start):
            print(harmless(line))
    return 0


def _lines(start: Start) -> Iterator[str]:
    from deepperf.check.versions import versions_of
    from deepperf.config.load import KEYS, keys_in

    yield f"# project: {start.root}"
    yield f"# settings: {start.config or 'no file'}"
    yield f"# cache: {start.cache_folder if start.options.cache else 'none'}"
    for framework, versions in sorted(versions_of(start.root, {}).items()):
        if framework not in start.options.framework_versions:
            yield f"# {framework}: {versions.text} ({versions.path})"
    set_there = keys_in(start.config) if start.config else frozenset()
    for name, key in KEYS.items():
        source = start.config if name in set_there else "default"
        yield f"{name} = {as_toml(getattr(start.options, key.option))}  # {source}"


def as_toml(value: object) -> str:
    """The value of an option as TOML has it."""
    from deepperf.records import Level

    if isinstance(value, Level):
        return json.dumps(value.name.lower())
    if isinstance(value, tuple):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{json.dumps(key)} = {as_toml(one)}" for key, one in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    return json.dumps(value, ensure_ascii=False)
