"""Command lines on something like Windows: `python other_system.py [["check", …], …]`.

What only Unix has is gone, processes cannot be forked, and what reads text without naming an
encoding fails. Each answers its exit code and its words, in an encoding that lacks most letters.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import signal
import subprocess  # noqa: F401 - those that ask the system themselves are here before it changes
import sys
import tempfile  # noqa: F401
from typing import Any

import platformdirs.unix  # noqa: F401

MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")
CALLS = ("O_CLOEXEC", "O_NOFOLLOW", "chown", "fork", "geteuid", "killpg", "register_at_fork")
MORE_CALLS = ("sched_getaffinity", "setsid", "uname", "wait4")
SIGNALS = ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGPROF", "SIGQUIT", "SIGUSR1")
MORE_SIGNALS = ("ITIMER_PROF", "pthread_sigmask", "setitimer", "siginterrupt", "sigwaitinfo")


def become_another_system() -> None:
    modules: dict[str, Any] = sys.modules
    modules.update(dict.fromkeys(MODULES))
    for name in (*CALLS, *MORE_CALLS):
        delattr(os, name)
    for name in (*SIGNALS, *MORE_SIGNALS):
        delattr(signal, name)
    setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])  # noqa: B010


def run(words: list[str]) -> tuple[int, str]:
    """The exit code of a command, and what it printed."""
    from deepperf.cli.main import main

    out = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="\n")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code = main(words)
        except SystemExit as ended:
            code = int(ended.code or 0)
    out.seek(0)
    return code, out.read()


if __name__ == "__main__":
    become_another_system()
    print(json.dumps([run(words) for words in json.loads(sys.argv[1])]))
