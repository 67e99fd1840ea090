import os
import subprocess
import sys
from pathlib import Path

import pytest
from benchmarks.processes import CommandFailed, measured


def test_a_busy_child_of_the_command_is_counted(tmp_path: Path) -> None:
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {busy!r}])"

    cost = measured([sys.executable, "-c", parent], tmp_path, (0,), os.environ)

    assert 0.3 <= cost.cpu < 5


def test_memory_is_told_in_bytes(tmp_path: Path) -> None:
    # The system counts what the asking process held when it was forked, too: ask from a small one.
    asking = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from benchmarks.processes import measured\n"
        "command = [sys.executable, '-c', 'x = bytes(200_000_000)[:] + b\"x\"']\n"
        "print(measured(command, Path(sys.argv[1]), (0,), os.environ).memory)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", asking, str(tmp_path)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert 200e6 < int(told.stdout) < 600e6


def test_an_unexpected_status_is_an_error_that_names_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; print('no such tree', file=sys.stderr); exit(7)"]

    with pytest.raises(CommandFailed, match=r"python.*: exit status 7: no such tree$"):
        measured(command, tmp_path, (0,), os.environ)

    assert measured(command, tmp_path, (0, 7), os.environ).wall > 0
