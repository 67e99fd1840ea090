"""`%load_ext deepperf`: `%deepperf check` for the cells so far, `%%deepperf run` for one cell."""

from __future__ import annotations

import contextlib
import html
import json
import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from deepperf.config.options import Options, WrongUse
from deepperf.records import Level

USAGE = "%deepperf check [note|warning|error], or %%deepperf run over a cell"
NAME = "notebook.ipynb"
HEIGHT = 560


@dataclass(frozen=True, slots=True)
class Shown:
    """What a notebook shows: a page, and text where there are none."""

    text: str
    page: str

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.page


def load_ipython_extension(shell: Any) -> None:
    """Let a notebook's cells say `%deepperf` and `%%deepperf`."""

    def deepperf(line: str, cell: str | None = None) -> Shown | None:
        words = shlex.split(line)
        try:
            if words[:1] == ["check"] and cell is None and len(words) <= 2:
                return check(_cells(shell), words[1:])
            if words == ["run"] and cell is not None:
                return run(cell, shell.user_ns)
            raise WrongUse(f"write {USAGE}")
        except WrongUse as error:
            print(f"deepperf: {error}", file=sys.stderr)
            return None

    shell.register_magic_function(deepperf, magic_kind="line_cell", magic_name="deepperf")


def _cells(shell: Any) -> list[str]:
    """What was run so far, in its order."""
    return [text for text in shell.history_manager.input_hist_raw[1:] if text.strip()]


def check(cells: Sequence[str], words: Sequence[str] = ()) -> Shown:
    """What is found in cells that were run, as one notebook in the current folder."""
    from deepperf.check.fresh import check_bytes
    from deepperf.outputs.destinations import rendered
    from deepperf.outputs.measured import measured
    from deepperf.outputs.paint import PLAIN
    from deepperf.outputs.results import Results

    content = {
        "cells": [{"cell_type": "code", "source": cell} for cell in cells],
        "nbformat": 4,
    }
    try:
        level = Level[words[0].upper()] if words else None
    except KeyError:
        raise WrongUse(f"{words[0]!r} is no level; write {USAGE}") from None

    def override(options: Options) -> Options:
        return options if level is None else replace(options, level=level, per_file_level={})

    name = os.path.join(os.getcwd(), NAME)
    report, _ = check_bytes(json.dumps(content).encode("ascii"), name, override)
    rules = {finding.rule for finding in report.findings}
    results = Results((report,), measured(rules) if rules else {})
    text = "".join(f"{line}\n" for line in rendered("text", results, PLAIN))
    text = text.replace(f"{name}:", "").replace(name, NAME)
    return Shown(text, f"<pre>{html.escape(text)}</pre>")


def run(cell: str, names: dict[str, Any]) -> Shown:
    """Run a cell's code with `names` for its variables, watched, and say what it lost."""
    from deepperf.dynamic.child import record
    from deepperf.dynamic.closing import closed
    from deepperf.dynamic.recorded import read_recording
    from deepperf.dynamic.recording.tape import Tape
    from deepperf.dynamic.report import Screen, report_on, shown
    from deepperf.dynamic.scratch import scratch_folder
    from deepperf.dynamic.wishes import Wishes

    cell = f"\n{cell}"  # the line with the magic counts
    with scratch_folder() as folder:
        file = folder / "cell.py"
        file.write_text(cell, encoding="utf-8")
        code = compile(cell, str(file), "exec", dont_inherit=True)
        tape = Tape(folder / "run.dperf", ["%%deepperf", "run"])
        tape.main = code
        record(tape)
        try:
            exec(code, names)
        finally:
            tape.finish()
        recording = closed(read_recording(folder / "run.dperf").trace)
        report = report_on(recording, Wishes())
        inside = f"{folder}{os.sep}"  # of which the user knows nothing
        text = shown(report, "text", Screen()).replace(inside, "")
        page = f"<pre>{html.escape(text)}</pre>"
        with contextlib.suppress(WrongUse):  # a page needs a library that may not be there
            whole = html.escape(shown(report, "html", Screen()).replace(inside, ""), quote=True)
            page = f'<iframe srcdoc="{whole}" width="100%" height="{HEIGHT}"></iframe>'
    return Shown(text, page)
