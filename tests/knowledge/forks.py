"""A process that imports the frameworks once and then runs each script it is told of in a fork.

Reads a line of JSON for each, the script's path and arguments, and answers in one: the exit status
and what went to standard output and standard error.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import runpy
import sys
import tempfile
import traceback
import warnings

FRAMEWORKS = ("tensorflow", "keras", "torch", "jax", "transformers")


def serve() -> None:
    """Answer until standard input ends."""
    warnings.simplefilter("ignore")
    for name in FRAMEWORKS:
        if importlib.util.find_spec(name):
            importlib.import_module(name)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        words = json.loads(line)
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            child = os.fork()
            if not child:
                os.dup2(out.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                os._exit(status_of(words))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            said = []
            for file in (out, errors):
                file.seek(0)
                said.append(file.read().decode(errors="replace"))
        print(json.dumps([status, *said]), file=answers, flush=True)


def status_of(words: list[str]) -> int:
    """The exit status of a script, which is run as if it were alone."""
    sys.argv[:] = words
    sys.path[0] = os.path.dirname(words[0])
    status = 0
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        status = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001 - whatever ends a script is what is told of it
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    serve()
