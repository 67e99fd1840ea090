import os
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
    command = [sys.executable, "-c", "x = b'x' * 200_000_000"]

    assert 200e6 < measured(command, tmp_path, (0,), os.environ).memory < 600e6


def test_an_unexpected_status_is_an_error_that_names_the_command(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; print('no such tree', file=sys.stderr); exit(7)"]

    with pytest.raises(CommandFailed, match=r"python.*: exit status 7: no such tree$"):
        measured(command, tmp_path, (0,), os.environ)

    assert measured(command, tmp_path, (0, 7), os.environ).wall > 0
