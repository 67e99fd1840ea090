from __future__ import annotations

from pathlib import Path

from tests.scan.builders import hit, result, results_of, stored

from deepperf.scan.diff import Difference, difference
from deepperf.scan.package import Hit, Scanned


def change(folder: Path, old: list[Scanned], new: list[Scanned], most: int = 100) -> Difference:
    stored(folder, "old", *old, engine="early")
    stored(folder, "new", *new, engine="late")
    return difference(folder, "old", "new", most)


def of(folder: Path, old: list[Hit], new: list[Hit]) -> Difference:
    return change(folder, results_of(*old), results_of(*new))


def test_an_alarm_that_moved_to_another_line_is_neither_gained_nor_lost(tmp_path: Path) -> None:
    found = of(tmp_path, [hit(line=3)], [hit(line=30)])

    assert found.gained == found.lost == ()
    assert found.packages == 1


def test_alarms_on_new_text_are_gained_and_on_vanished_text_lost(tmp_path: Path) -> None:
    found = of(tmp_path, [hit(text="a.map(f)")], [hit(text="b.map(f)")])

    assert [one.text for one in found.gained] == ["b.map(f)"]
    assert [one.text for one in found.lost] == ["a.map(f)"]
    assert found.counts == {"serial-map": (1, 1)}


def test_of_two_alarms_on_equal_lines_one_can_be_lost(tmp_path: Path) -> None:
    first, second = hit(line=3, occurrence=1), hit(line=9, occurrence=2)

    assert [one.line for one in of(tmp_path, [first, second], [first]).lost] == [9]


def test_the_same_line_under_another_rule_is_another_alarm(tmp_path: Path) -> None:
    found = of(tmp_path, [hit(rule="serial-map")], [hit(rule="graph-growth")])

    assert found.counts == {"graph-growth": (1, 0), "serial-map": (0, 1)}


def test_a_package_is_compared_with_its_next_version(tmp_path: Path) -> None:
    found = of(tmp_path, [hit(version="1.0")], [hit(version="1.1")])

    assert found.counts == {}
    assert found.apart == ()


def test_two_versions_of_a_package_in_one_run_are_kept_apart(tmp_path: Path) -> None:
    both = [hit(version="1.0"), hit(version="2.0")]

    found = of(tmp_path, both, [hit(version="1.0"), hit(version="2.0", text="other")])

    assert [one.package for one in found.gained + found.lost] == ["flowers-2.0", "flowers-2.0"]


def test_a_package_that_one_run_did_not_look_at_is_named_and_not_compared(tmp_path: Path) -> None:
    found = of(tmp_path, [hit()], [hit(), hit(package="trees")])

    assert found.gained == ()
    assert found.apart == ("trees",)


def test_all_are_counted_though_few_are_shown(tmp_path: Path) -> None:
    many = [hit(line=line, text=f"line {line}") for line in range(9)]

    found = change(tmp_path, [result()], [result(many)], most=2)

    assert len(found.gained) == 2
    assert found.counts == {"serial-map": (9, 0)}
