"""What the installed frameworks have is asked by scripts, which share the import of these."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from deepperf.bench.launch import can_fork

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
Answer = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def answer_of() -> Iterator[Answer]:
    """Runs a script of this folder with arguments, in a fork where forks are known to work."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "KERAS_BACKEND": "tensorflow",
        "CUDA_VISIBLE_DEVICES": "",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }

    def in_a_process(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(HERE / script), *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    if not can_fork():
        yield in_a_process
        return
    with subprocess.Popen(
        [sys.executable, str(HERE / "forks.py")],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, answers = process.stdin, process.stdout

        def in_a_fork(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
            words = [str(HERE / script), *arguments]
            asked.write(json.dumps(words) + "\n")
            asked.flush()
            status, out, errors = json.loads(answers.readline())
            return subprocess.CompletedProcess(words, status, out, errors)

        yield in_a_fork
        asked.close()
