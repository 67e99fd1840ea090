"""`deepperf mcp`: lets an assistant that writes code check, run and prove."""

from __future__ import annotations

import argparse

HELP = "serve an assistant: check, explain, run and prove (model context protocol)"


def prepare(parser: argparse.ArgumentParser) -> None:
    """There is nothing to say: it talks over standard input and output."""


def run(arguments: argparse.Namespace) -> int:  # noqa: ARG001 - one signature
    """Serve until the assistant hangs up."""
    import gc

    from deepperf.surfaces.assistant import assistant_server

    gc.enable()
    assistant_server().run()
    return 0
