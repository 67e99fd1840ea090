"""Whatever a program does, it does the same under `deepperf run`, and is reported on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = {
    "leaves hard": "import os, time\ntime.sleep(0.2)\nprint('here', flush=True)\nos._exit(5)\n",
    "exits": "import sys\nprint('here')\nsys.exit(3)\n",
    "exits with words": "import sys\nsys.exit('no data')\n",
    "is over at once": "print(__name__, __file__)\n",
    "fails in a thread": """
import threading

def fail():
    raise ValueError("no data")

thread = threading.Thread(target=fail, name="reader")
thread.start()
thread.join()
print("done")
""",
    "works in a thread only": """
import threading, time

def work():
    end = time.perf_counter() + 0.3
    while time.perf_counter() < end:
        sum(range(100))
    print("done")

threading.Thread(target=work).start()
""",
    "goes elsewhere": """
import os, tempfile

with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
print(sum(range(1000)))
""",
    "removes itself": "import os\nos.remove(__file__)\nprint(os.path.exists(__file__))\n",
    "reads": "import sys\nprint(input(), '|', sys.stdin.read())\n",
    "spawns": """
import multiprocessing

def squared(x):
    return x * x

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(squared, [1, 2, 3]))
""",
    "forks": """
import os

child = os.fork()
if not child:
    print("child", flush=True)
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
    "closes its output": "import sys\nprint('here')\nsys.stdout.close()\nsys.stderr.close()\n",
    "has its own hook": """
import sys

sys.excepthook = lambda kind, error, trace: print("hook", kind.__name__, trace.tb_lineno)
raise ValueError("no data")
""",
    "is told of its end": "import atexit\natexit.register(print, 'the end')\nprint('here')\n",
    "has no good text": "print('here'\n",
    "waits for no one": """
import threading, time

threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
print("done")
""",
    "imports what stands beside it": """
import json
import beside

print(beside.__file__, json.dumps(sorted(vars(beside))[-1:]))
""",
    "cannot import": "import beside.missing\n",
    "pickles its own": """
import pickle

class Model:
    pass

print(type(pickle.loads(pickle.dumps(Model()))), Model.__module__)
""",
}


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "program.py").write_text((folder / "kept.txt").read_text("utf-8"), "utf-8")
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        input="first\nsecond\n",
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_ends_as_it_would_alone(tmp_path: Path, text: str) -> None:
    (tmp_path / "kept.txt").write_text(text, "utf-8")
    (tmp_path / "beside.py").write_text("z = 1\n", "utf-8")
    report = ["--format", "json", "--report", "r.json"]
    alone = ran(tmp_path, "program.py", "--epochs", "1")
    watched = ran(tmp_path, "-m", "deepperf", "run", *report, "program.py", "--epochs", "1")
    assert (watched.returncode, watched.stdout) == (alone.returncode, alone.stdout)
    assert watched.stderr == alone.stderr
    told = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert told["run"]["ended"] == "exit"
    assert told["run"]["folder"] == str(tmp_path)
    assert told["run"]["problems"] == []


@pytest.mark.parametrize("words", [("program.py",), ("-m", "program")])
def test_a_module_named_as_one_of_pythons_is_the_programs(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    text = "import statistics, gzip, typing\nprint(statistics.__file__, gzip.__file__, typing)\n"
    (tmp_path / "kept.txt").write_text(text, "utf-8")
    for name in ("statistics", "gzip", "typing"):
        (tmp_path / f"{name}.py").write_text("print(__name__)\n", "utf-8")
    alone = ran(tmp_path, *words)
    watched = ran(tmp_path, "-m", "deepperf", "run", "--report", "r.txt", *words)
    assert alone.stdout.startswith("statistics\ngzip\n")
    assert (watched.stdout, watched.stderr) == (alone.stdout, alone.stderr)


def test_a_module_that_is_not_there_is_named_as_python_does(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("", "utf-8")
    alone = ran(tmp_path, "-m", "program.missing")
    watched = ran(tmp_path, "-m", "deepperf", "run", "--report", "r.txt", "-m", "program.missing")
    assert (watched.returncode, watched.stderr) == (alone.returncode, alone.stderr)


def test_a_reader_that_leaves_early_is_no_problem_of_ours(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("for n in range(100_000):\n    print(n)\n", "utf-8")
    told = []
    for words in (["program.py"], ["-m", "deepperf", "run", "--report", "r.txt", "program.py"]):
        process = subprocess.Popen(
            [sys.executable, *words],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "0\n"
        process.stdout.close()
        assert process.stderr is not None
        told.append((process.stderr.read(), process.wait(timeout=60)))
    assert told[0] == told[1]
    assert (tmp_path / "r.txt").exists()


@pytest.mark.parametrize(
    ("how", "who"),
    [
        (signal.SIGINT, "program"),
        (signal.SIGTERM, "program"),
        (signal.SIGKILL, "program"),
        (signal.SIGTERM, "deepperf"),
    ],
)
def test_a_program_that_is_stopped_is_reported_on(
    tmp_path: Path, how: signal.Signals, who: str
) -> None:
    text = """
import time

def spin():
    end = time.perf_counter() + 60
    told = time.perf_counter() + 1
    while time.perf_counter() < end:
        sum(range(500))
        if told and time.perf_counter() > told:
            told = 0
            print(__import__("os").getpid(), flush=True)

spin()
"""
    (tmp_path / "program.py").write_text(text, "utf-8")
    process = subprocess.Popen(
        [sys.executable, "-m", "deepperf", "run", "program.py"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    program = int(process.stdout.readline())
    os.kill(program if who == "program" else process.pid, how)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + how
    assert "in spin" in said
    assert ("KeyboardInterrupt" in said) == (how is signal.SIGINT)
