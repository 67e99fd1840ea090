"""deepperf without its extras: what needs one says which, in a line."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from tests.dynamic.made import script, trace_of

from deepperf.cli.doctor import PARTS
from deepperf.dynamic.recorded import Recording, write_recording

SLOW = "import tensorflow as tf\nfor x in range(1000):\n    tf.function(lambda y: y)(x)\n"
COMMANDS = {
    "check slow.py --format html": "deepperf[run]",
    "check slow.py --output report.xml": "deepperf[ci]",
    "check slow.py --since main": "deepperf[ci]",
    "report run.dperf --format html": "deepperf[run]",
    "report run.dperf --to wandb": "deepperf[wandb]",
    "report run.dperf --to tensorboard": "deepperf[tensorboard]",
    "compare run.dperf run.dperf": "deepperf[prove]",
    "prove -- python train.py": "deepperf[prove]",
    "lsp": "deepperf[lsp]",
    "mcp": "deepperf[mcp]",
    "bench rules": "deepperf[bench]",
    "study figures": "deepperf[study]",
    "study suggest": "deepperf[study]",
    "check slow.py": "",
    "check slow.py --format sarif": "",
    "rule serial-map": "",
    "report run.dperf": "",
    "doctor": "",
}
PROGRAM = """
import contextlib, io, json, sys
for module in {modules}:
    sys.modules[module] = None
from deepperf.cli.main import main
for command in {commands}:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        code = main(command.split())
    print(json.dumps((command, code, out.getvalue())))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """The exit code and the words of each command, where no extra is installed."""
    folder = tmp_path_factory.mktemp("light")
    write_recording(Recording((trace_of(script(folder)),), None), folder / "run.dperf")
    (folder / "slow.py").write_text(SLOW, encoding="utf-8")
    modules = sorted({"markupsafe"}.union(*(part.modules for part in PARTS)))
    program = PROGRAM.format(modules=modules, commands=list(COMMANDS))
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return {name: (code, text) for name, code, text in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_needs_an_extra_names_it_and_the_rest_works(
    said: dict[str, tuple[int, str]], command: str
) -> None:
    code, text = said[command]
    extra = COMMANDS[command]
    if extra:
        assert (code, text.count("\n")) == (2, 1), text
        assert f"pip install '{extra}'" in text
    else:
        assert code in (0, 1), text
        assert "internal error" not in text
