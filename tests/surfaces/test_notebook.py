"""`%load_ext deepperf`, in a kernel that runs a notebook."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

SLOW = """\
def made():
    import tensorflow as tf
    for batch in range(100):
        tf.function(lambda x: x + 1)(batch)
"""
WORK = "%%deepperf run\ntotal = 0\nfor number in range(3_000_000):\n    total += number\n"


def test_cells_are_checked_and_watched_where_they_are(tmp_path: Path) -> None:
    cells = ("%load_ext deepperf", SLOW, "%deepperf check", WORK, "print(total)", "%deepperf tell")
    made = [{"cell_type": "code", "source": c, "metadata": {}, "outputs": []} for c in cells]
    content = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    notebook = nbformat.from_dict(content)  # type: ignore[no-untyped-call]
    ran = NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    outputs = [cell["outputs"] for cell in ran.cells]
    (checked,), (watched,), (printed,), (wrong,) = outputs[2:]
    assert "cell 2:4:9: warning compiled-per-call" in checked["data"]["text/plain"]
    assert checked["data"]["text/html"].startswith("<pre>")
    assert "%%deepperf run" in watched["data"]["text/plain"]
    assert re.search(r" cell\.py:[34] ", watched["data"]["text/plain"])
    assert watched["data"]["text/html"].startswith(("<iframe", "<pre>"))
    assert printed["text"] == f"{sum(range(3_000_000))}\n"
    assert "write %deepperf check" in wrong["text"]
