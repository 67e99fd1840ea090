"""`deepperf run` runs a program as Python would, and tells what was seen whatever its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

BUSY = """
import sys, time

def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(500))

if __name__ == "__main__":
    spin(0.6)
    print("done", sys.argv[1:], __file__.endswith("busy.py"))
"""


def deepperf(*words: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "deepperf", *map(str, words)]
    environment = {**os.environ, "COLUMNS": "120"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def report_of(ran: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ran.stderr[ran.stderr.index("{\n") :])
    return found


def test_a_program_keeps_its_arguments_output_and_exit_code(tmp_path: Path) -> None:
    program(tmp_path, "busy.py", BUSY + "    sys.exit(7)\n")
    ran = deepperf("run", "busy.py", "--epochs", "1", "-m", folder=tmp_path)
    assert ran.returncode == 7
    assert ran.stdout == "done ['--epochs', '1', '-m'] True\n"


def test_a_clean_program_is_told_where_its_time_goes(tmp_path: Path) -> None:
    program(tmp_path, "busy.py", BUSY)
    ran = deepperf("run", "busy.py", folder=tmp_path)
    assert ran.returncode == 0
    assert "Nothing wrong found. The time goes to:" in ran.stderr
    assert "busy.py:7 in spin" in ran.stderr or "busy.py:6 in spin" in ran.stderr
    assert "Recording took" in ran.stderr


def test_a_module_is_run_as_python_does(tmp_path: Path) -> None:
    package = tmp_path / "tool"
    package.mkdir()
    program(package, "__init__.py", "")
    program(package, "train.py", "import sys\nprint(__name__, __package__, sys.argv[1:])\n")
    ran = deepperf("run", "-m", "tool.train", "--lr", "1", folder=tmp_path)
    assert ran.stdout == "__main__ tool ['--lr', '1']\n"
    again = deepperf("run", "--format", "json", "-m", "tool.train", "-m", "x", folder=tmp_path)
    assert again.stdout == "__main__ tool ['-m', 'x']\n"


def test_python_may_be_named(tmp_path: Path) -> None:
    program(tmp_path, "hello.py", "print('hello')\n")
    ran = deepperf("run", "--", "python", "hello.py", folder=tmp_path)
    assert ran.stdout == "hello\n"


def test_a_traceback_is_the_programs_own(tmp_path: Path) -> None:
    program(tmp_path, "broken.py", "def fail():\n    raise ValueError('no data')\n\nfail()\n")
    ran = deepperf("run", "broken.py", folder=tmp_path)
    alone = subprocess.run(
        [sys.executable, "broken.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert ran.returncode == alone.returncode == 1
    told = ran.stderr.partition("deepperf:")[0]
    assert told.replace(str(tmp_path) + os.sep, "") == alone.stderr.replace(
        str(tmp_path) + os.sep, ""
    )


def test_a_program_that_is_killed_leaves_what_was_seen(tmp_path: Path) -> None:
    kill = "import os, signal\nspin(3)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    program(tmp_path, "busy.py", BUSY.partition("if __name__")[0] + kill)
    ran = deepperf("run", "--record", "t.dperf", "busy.py", folder=tmp_path)
    assert ran.returncode == 128 + signal.SIGKILL
    assert "the program did not finish" in ran.stderr

    told = deepperf("report", "t.dperf", "--format", "json", folder=tmp_path)
    assert json.loads(told.stdout)["run"]["ended"] == "running"


def test_child_processes_are_left_alone(tmp_path: Path) -> None:
    text = """
import multiprocessing, os, time

def square(x):
    time.sleep(0.05)
    return x * x

if __name__ == "__main__":
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(pool.map(square, [1, 2, 3]))
"""
    program(tmp_path, "pool.py", text)
    ran = deepperf("run", "--format", "json", "pool.py", folder=tmp_path)
    assert ran.stdout == "[1, 4, 9]\n[1, 4, 9]\n"
    assert report_of(ran)["run"]["ended"] == "exit"


def test_nothing_is_imported_that_the_program_does_not_import(tmp_path: Path) -> None:
    program(
        tmp_path,
        "names.py",
        "import sys\n"
        "heavy = {'tensorflow', 'torch', 'jax', 'keras', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))\n",
    )
    assert deepperf("run", "names.py", folder=tmp_path).stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["run"], "nothing to run"),
        (["run", "nowhere.py"], "nowhere.py: no such file"),
        (["report", "nowhere.dperf"], "nowhere.dperf: cannot be read"),
        (["report", "text.dperf"], "text.dperf: "),
        (["run", "--record", "kept.py", "kept.py"], "kept.py: is there already, and is no trace"),
        (["run", "--record", "kept.py"], "nothing to run"),
        (["run", "--record", "no/t.dperf", "kept.py"], "no/t.dperf: there is no folder"),
        (["run", "--report", "no/r.txt", "kept.py"], "no/r.txt: there is no folder"),
        (["run", "--record", ".", "kept.py"], ".: is a folder"),
        (["run", "--record", "pipe", "kept.py"], "pipe: is no file"),
    ],
)
def test_what_cannot_be_done_is_named(tmp_path: Path, words: list[str], complaint: str) -> None:
    (tmp_path / "text.dperf").write_text("no trace", encoding="utf-8")
    (tmp_path / "kept.py").write_text("print('ran')\n", encoding="utf-8")
    os.mkfifo(tmp_path / "pipe")
    ran = deepperf(*words, folder=tmp_path)
    assert ran.returncode == 2
    assert complaint in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert ran.stdout == ""
    assert (tmp_path / "kept.py").exists()
    assert (tmp_path / "pipe").is_fifo()


def test_the_page_for_a_browser_is_one_file_and_escapes_what_it_quotes(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    text = BUSY.replace("sum(range(500))", "sum(range(500))  # <script>alert(1)</script>")
    program(tmp_path, "busy.py", text + "    sys.exit('<b>over</b>')\n")
    ran = deepperf("run", "--record", "t.dperf", "busy.py", folder=tmp_path)
    assert ran.returncode == 1
    deepperf("report", "t.dperf", "--format", "html", "--output", "r.html", folder=tmp_path)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "http:" not in page
    assert "https:" not in page
    assert "Where the time goes" in page


WAITS = """
import pathlib, sys, time

pathlib.Path("started").touch()
try:
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
    sys.exit(5)
"""


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    """A watched program that waits, once it does."""
    program(folder, "waits.py", WAITS)
    process = subprocess.Popen(
        [sys.executable, "-m", "deepperf", "run", *words, "waits.py"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for((folder / "started").exists)
    return process


def wait_for(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Ctrl-C cannot be told from kill")
def test_an_interrupt_sent_to_deepperf_reaches_the_program_once(tmp_path: Path) -> None:
    process = started(tmp_path)
    process.send_signal(signal.SIGINT)
    out, told = process.communicate(timeout=60)
    assert process.returncode == 5
    assert out == "interrupted\n"
    assert "Recording took" in told


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing tells the program")
def test_a_program_does_not_outlive_a_deepperf_that_is_killed(tmp_path: Path) -> None:
    process = started(tmp_path, "--record", "t.dperf")
    (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    wait_for((tmp_path / "t.dperf").exists)
    process.kill()
    process.communicate(timeout=60)
    wait_for(lambda: not is_running(int(child)))
    ran = deepperf("report", "t.dperf", folder=tmp_path)
    assert ran.returncode == 0
    assert "Deepperf was killed" in ran.stdout


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    # Whoever takes in orphans here may leave it unburied.
    return state != "Z"


def test_what_pip_put_into_a_folder_is_no_code_of_the_users(tmp_path: Path) -> None:
    vendor = tmp_path / "vendor"
    (vendor / "slow-1.0.dist-info").mkdir(parents=True)
    listed = "slow/__init__.py,sha256=x,1\nslow-1.0.dist-info/RECORD,,\n../../bin/slow,,\n"
    (vendor / "slow-1.0.dist-info" / "RECORD").write_text(listed, encoding="utf-8")
    (vendor / "slow").mkdir()
    for name in ("slow/__init__.py", "mine.py"):
        program(vendor, name, BUSY.partition("if __name__")[0])
    text = "import mine, slow\nslow.spin(0.5)\nmine.spin(0.5)\n"
    program(tmp_path, "main.py", "import sys\nsys.path.append('vendor')\n" + text)
    report = report_of(deepperf("run", "--format", "json", "main.py", folder=tmp_path))
    files = {Path(item["file"]).name for item in report["lines"]}
    assert files == {"main.py", "mine.py"}
    assert report["lines"][0]["line"] in (4, 6, 7)
