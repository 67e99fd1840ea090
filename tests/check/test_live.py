"""A project whose texts change says after each edit what a project says that was opened anew."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from deepperf.check.live import Live, checked, opened, report_on, with_texts
from deepperf.check.paths import starts
from deepperf.check.run import Interrupted
from deepperf.records import Report
from deepperf.semantics.text.source import source_of_text

MAKES = """\
import tensorflow as tf


def made():
    return tf.function(lambda x: x + 1)
"""
CALLS = """\
from steps import made


def run(batches):
    for batch in batches:
        made()(batch)
"""
TRAINS = """\
import torch
from torch import nn
from waits import read

model = nn.Linear(3, 3).cuda()


def train(batches, optimizer):
    total = 0.0
    for batch in batches:
        loss = model(batch.cuda()).sum()
        loss.backward()
        optimizer.step()
        total += read(loss)
    return total
"""
VERSIONS = {
    "steps.py": (
        MAKES,
        "def made():\n    return len\n",
        MAKES.replace("made", "other"),
        "import tensorflow as tf\n\nstep = tf.function(abs)\n\n\ndef made():\n    return step\n",
        "def made(:\n",
    ),
    "loops.py": (
        CALLS,
        CALLS.replace("    for batch in batches:\n        made()(batch)", "    made()(batches)"),
        CALLS.replace("from steps import made", "from waits import read as made"),
        "",
    ),
    "waits.py": (
        "import torch\n\n\ndef read(loss: torch.Tensor):\n    return loss.item()\n",
        "def read(loss):\n    return loss\n",
        f"{MAKES}\n\nread = made\n",
    ),
    "train.py": (TRAINS, "from loops import run\n\nfor epoch in range(100):\n    run(range(9))\n"),
}


def project(folder: Path) -> Live:
    (folder / "deepperf.toml").write_text('level = "note"\n', encoding="utf-8")
    for name, texts in VERSIONS.items():
        (folder / name).write_text(texts[0], encoding="utf-8")
    (start,) = starts((folder,), lambda options: options)
    return opened(start)


def reports(live: Live) -> tuple[Live, list[Report]]:
    for name in VERSIONS:
        live = checked(live, name)
    return live, [report_on(live, name) for name in VERSIONS]


def edited(live: Live, texts: dict[str, str]) -> Live:
    return with_texts(live, {name: source_of_text(name, text) for name, text in texts.items()})


@pytest.mark.parametrize("seed", range(2))
def test_reports_after_edits_are_those_of_a_project_opened_anew(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    live, first = reports(project(tmp_path))
    assert sum(len(report.findings) for report in first) >= 2
    texts: dict[str, str] = {}
    for _ in range(8):
        name = draw.choice(sorted(VERSIONS))
        texts = {**texts, name: draw.choice(VERSIONS[name])}
        live, told = reports(edited(live, texts))
        _, anew = reports(edited(project(tmp_path), texts))
        assert told == anew


def test_an_edit_leaves_reports_that_do_not_rest_on_it(tmp_path: Path) -> None:
    live, _ = reports(project(tmp_path))
    after = edited(live, {"loops.py": VERSIONS["loops.py"][1]})
    assert "steps.py" not in after.records
    assert {"waits.py", "train.py"} <= after.records.keys()


def test_a_new_file_counts_before_it_is_saved(tmp_path: Path) -> None:
    live = edited(project(tmp_path), {"new.py": MAKES})
    assert report_on(checked(live, "new.py"), "new.py").findings == ()
    uses = CALLS.replace("from steps import made", "from new import made")
    live = edited(live, {"loops.py": uses})
    assert len(report_on(checked(live, "new.py"), "new.py").findings) == 1


def test_a_check_that_nobody_waits_for_ends_between_rules_and_can_be_asked_again(
    tmp_path: Path,
) -> None:
    live = project(tmp_path)
    asked = 0

    def pause() -> None:
        nonlocal asked
        asked += 1
        if asked == 40:
            raise Interrupted

    with pytest.raises(Interrupted):
        checked(live, "loops.py", pause)
    _, told = reports(live)
    _, anew = reports(project(tmp_path))
    assert told == anew
