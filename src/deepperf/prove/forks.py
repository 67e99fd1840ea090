"""A process that has imported the frameworks, and forks for each run: importing costs it once.

A fork is as fresh as a new process in all else: no framework has a thread, a device or a cache
before it is first used. The first line of standard input lists what is to be imported; each further
one is an order in JSON, which is answered by the number of the process, then by its status and the
most memory it held.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
import tempfile
from collections.abc import Collection
from typing import Any


def serve(began_with: Collection[str]) -> None:
    """Answer orders until standard input ends; in a fork, run what is ordered."""
    orders, answers = os.fdopen(os.dup(0), "r"), os.fdopen(os.dup(1), "w")
    for name in json.loads(orders.readline()):
        # Whoever imports it in vain gets to know that from Python.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    # Else each fork looks through all of what was imported, for garbage and at its end, and
    # copies it: some seconds a run.
    gc.collect()
    gc.freeze()
    for fd, mode in ((0, os.O_RDONLY), (1, os.O_WRONLY)):
        os.dup2(os.open(os.devnull, mode), fd)
    for line in orders:
        order = json.loads(line)
        child = os.fork()
        if not child:
            os.close(orders.fileno())
            os.close(answers.fileno())
            _become(order)
            from deepperf.prove.child import main

            main(order["words"], began_with)
            return
        print(child, file=answers, flush=True)
        _, status, usage = os.wait4(child, 0)
        print(os.waitstatus_to_exitcode(status), usage.ru_maxrss, file=answers, flush=True)


def _become(order: dict[str, Any]) -> None:
    """Be what a new process would be."""
    from deepperf.dynamic.launch import bound_to

    os.setsid()
    bound_to(os.getppid())
    for fd, path in ((1, order["output"]), (2, order["errors"])):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), fd)
    os.chdir(order["folder"])
    if order["core"] is not None:
        os.sched_setaffinity(0, {order["core"]})
    os.environ.update(order["variables"])
    tempfile.tempdir = None  # what was imported may have asked, before there was one for each run
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for good
