"""`deepperf mcp`: lets an assistant that writes code check, run and prove."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "serve an assistant: check, explain, run and prove (model context protocol)"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments; it talks over standard input and output."""
    parser.add_argument(
        "--skill",
        action="store_true",
        help="print the text that tells an assistant when and how to use deepperf, and end",
    )


def run(arguments: argparse.Namespace) -> int:
    """Serve until the assistant hangs up."""
    if arguments.skill:
        from deepperf import surfaces

        (folder,) = surfaces.__path__
        print(Path(folder, "skill.md").read_text(encoding="utf-8"), end="")
        return 0
    import gc

    from deepperf.surfaces.assistant import assistant_server

    gc.enable()
    assistant_server().run()
    return 0
