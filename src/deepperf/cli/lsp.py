"""`deepperf lsp`: what `check` says, in an editor, while the code is being written."""

from __future__ import annotations

import argparse

HELP = "serve an editor: findings while typing, explanations and fixes (language server protocol)"


def prepare(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument(
        "--stdio",
        action="store_true",
        help="over standard input and output, as always",
    )


def run(arguments: argparse.Namespace) -> int:  # noqa: ARG001 - editors insist on --stdio
    """Serve until the editor hangs up."""
    from deepperf.surfaces.lsp.server import serve

    serve()
    return 0
