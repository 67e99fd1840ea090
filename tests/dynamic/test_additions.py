"""Where a program's text adds to what grows."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import marked

from deepperf.dynamic.program.additions import addition_to, carried_at

TEXT = """\
class Training:
    def run(self, batches):
        total, best = 0.0, None
        seen = {"loss": [], "last": None}
        self.losses = []
        for batch in batches:
            loss = self.step(batch)
            total = total + loss  # total
            seen["loss"].append(loss)  # seen['loss']
            seen["last"] = loss
            self.losses.append(loss)  # self.losses
            best = loss
        return total


rows = []
for number in range(9):
    rows.append(number)  # rows
table = {}
table["first"] = rows  # table
"""


def line(mark: str) -> int:
    (found,) = marked(TEXT, mark)
    return found


def test_what_is_carried_is_told_where_it_is_made_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(TEXT, encoding="utf-8")
    for name in ("total", "seen['loss']", "self.losses"):
        assert carried_at(str(path), name, 7) == line(name)
    # What each turn makes anew carries nothing.
    for name in ("best", "loss"):
        assert carried_at(str(path), name, 7) is None


def test_the_nearest_addition_to_a_container_is_told(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(TEXT, encoding="utf-8")
    assert addition_to(str(path), "run", "seen", 8) == line("seen['loss']")
    assert addition_to(str(path), "run", "trainer.losses", 0) == line("self.losses")
    assert addition_to(str(path), "", "rows", 0) == line("rows")
    assert addition_to(str(path), "", "table", 0) == line("table")
    assert addition_to(str(path), "", "absent", 0) is None
