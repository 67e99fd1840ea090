"""A process that imports a framework and then forks for each job that it is told of.

Reads a request in JSON from each line of standard input (`job`, `folder`, `errors`), runs the
job in a fork whose standard error goes to the file `errors`, and answers its exit status.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback


def serve(framework: str) -> int:
    """Answer requests until standard input ends."""
    import worker  # type: ignore[import-not-found]  # it lies beside this script

    del sys.path[0]  # this folder's modules would shadow others of their names
    if framework:
        importlib.import_module(framework)
    answers = os.fdopen(os.dup(1), "w")
    # What a side prints is no answer.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            os._exit(_run(worker.main, request))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), file=answers, flush=True)
    return 0


def _run(main: object, request: dict[str, str]) -> int:
    os.dup2(os.open(request["errors"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    os.chdir(request["folder"])
    status = 1
    try:
        status = main([request["job"]])  # type: ignore[operator]
    except BaseException:  # noqa: BLE001 - whatever ends a side is what is told of it
        traceback.print_exc()
    sys.stderr.flush()
    return status


if __name__ == "__main__":
    sys.exit(serve(sys.argv[1]))
