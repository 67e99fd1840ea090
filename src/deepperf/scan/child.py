"""`python -m deepperf.scan.child`: scans a batch, each package in a process of its own.

What the rules need is loaded once, then each package has a fork of it with limits on memory and
time. The batch comes on the standard input; a line goes out as each package is done.
"""

from __future__ import annotations

import gc
import os
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import msgspec

from deepperf.scan.make import engine_digest
from deepperf.scan.package import Batch, Limits, Package, Scanned, Spent, State, Tree
from deepperf.scan.task import check_with_all_rules, out_of_memory, scan
from deepperf.scan.trying import tried

READY = b"ready\n"
OTHER_ENGINE = 4
NO_MEMORY = 77
GRACE = 20.0
"""Seconds after its last limit until a process is taken for stuck."""
_WARM = "import torch\n\nfor batch in torch.ones(8, 4):\n    print(batch.sum().item())\n"


def main() -> int:
    """Scan the batch on the standard input; 0 unless the rules here are not the wanted ones."""
    batch = msgspec.json.decode(sys.stdin.buffer.read(), type=Batch)
    if engine_digest() != batch.engine:
        return OTHER_ENGINE
    gc.disable()  # as on the command line: collecting costs more than the check itself
    _warm_up()
    gc.freeze()
    out = sys.stdout.buffer
    out.write(READY)
    out.flush()
    for package in batch.packages:
        result = tried(package, lambda one: _in_process(one, batch.limits))
        out.write(msgspec.json.encode(result) + b"\n")
        out.flush()
        _clean(Path(tempfile.gettempdir()))
    return 0


def _warm_up() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "deepperf.toml").write_text("", encoding="utf-8")
        Path(folder, "train.py").write_text(_WARM, encoding="utf-8")
        check_with_all_rules(Path(folder))


def _clean(folder: Path) -> None:
    """Take away what a killed process left in the batch's own folder."""
    for left in folder.glob("deepperf-scan-*"):
        shutil.rmtree(left, ignore_errors=True)


def _in_process(package: Package, limits: Limits) -> Scanned:
    begin = time.monotonic()
    ours, theirs = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(ours)
        _scan_and_leave(package, limits, theirs)
    os.close(theirs)
    told = _read(ours, process, limits.seconds * limits.patience + GRACE)
    os.close(ours)
    _, status, used = os.wait4(process, 0)
    spent = Spent(
        seconds=used.ru_utime + used.ru_stime,
        elapsed=time.monotonic() - begin,
        peak=used.ru_maxrss * 1024,
    )
    last = (told.split(b"\n")[:-1] or [b""])[-1]  # the tree, then the result if there is one
    try:
        result = msgspec.json.decode(last, type=Scanned)
    except msgspec.DecodeError:
        state, why = _ending(status, limits)
        tree = msgspec.json.decode(last, type=Tree) if last else Tree()
        return Scanned(package.name, package.version, state, why, tree, spent)
    own = result.spent
    return replace(result, spent=replace(own, elapsed=spent.elapsed, peak=spent.peak))


def _scan_and_leave(package: Package, limits: Limits, out: int) -> None:
    code = 1
    try:
        _limit(limits)
        with open(out, "wb") as stream:

            def tell(part: Tree | Scanned) -> None:
                stream.write(msgspec.json.encode(part) + b"\n")
                stream.flush()

            tell(out_of_memory(scan(package, gathered=tell)))
        code = 0
    except MemoryError:
        code = NO_MEMORY
    finally:
        os._exit(code)


def _limit(limits: Limits) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, signal.SIG_DFL)  # it ends the process, wherever that is stuck
    signal.setitimer(signal.ITIMER_PROF, limits.seconds)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds * limits.patience)


def _read(pipe: int, process: int, seconds: float) -> bytes:
    """All that comes from the pipe; after that many seconds the process is killed."""
    end = time.monotonic() + seconds
    parts: list[bytes] = []
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, end - time.monotonic()))
        if not ready:
            os.kill(process, signal.SIGKILL)
            return b""
        part = os.read(pipe, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)


def _ending(status: int, limits: Limits) -> tuple[State, str]:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGPROF:
            return State.SLOW, f"more than {limits.seconds:g} s of CPU time"
        if number == signal.SIGALRM:
            return State.SLOW, f"more than {limits.seconds * limits.patience:g} s"
        return State.KILLED, f"killed by signal {number}"
    code = os.WEXITSTATUS(status)
    if code == NO_MEMORY:
        return State.LARGE, f"more than {limits.memory // 1024**2:,} MiB"
    return State.KILLED, f"ended with exit code {code}"


if __name__ == "__main__":
    sys.exit(main())
