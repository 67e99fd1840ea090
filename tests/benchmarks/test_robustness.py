from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.robustness import examine, kind
from benchmarks.subjects import Subject, copy_of

from deepperf.records import Failure, Location, Report


def two_files(folder: Path) -> Subject:
    source = folder / "flowers"
    source.mkdir()
    (source / "good.py").write_text("x = 1\n")
    (source / "bad.py").write_text("x = = 1\n")
    return copy_of("flowers", source, folder / "copies")


def failure(path: str, message: str) -> Failure:
    return Failure(Location(path, 1, 1, 1, 1), message)


def test_a_tree_whose_every_file_has_a_report_is_sound(tmp_path: Path) -> None:
    def check(files: Sequence[Path]) -> Iterable[Report]:
        return [
            Report(str(files[1])),
            Report(str(files[0]), failures=(failure("bad.py", "line 1: not Python"),)),
        ]

    outcome = examine(two_files(tmp_path), check)

    assert outcome.is_sound
    assert outcome.kinds == (("line N: not Python", 1),)


def test_a_file_without_a_report_is_lost(tmp_path: Path) -> None:
    def check(files: Sequence[Path]) -> Iterable[Report]:
        return [Report(str(files[0]))]

    outcome = examine(two_files(tmp_path), check)

    assert not outcome.is_sound
    assert [Path(path).name for path in outcome.lost] == ["good.py"]


def test_a_crash_of_ours_is_not_sound(tmp_path: Path) -> None:
    def check(files: Sequence[Path]) -> Iterable[Report]:
        crash = replace(failure("bad.py", "rule serial-map crashed"), internal=True)
        return [Report(str(files[1])), Report(str(files[0]), failures=(crash,))]

    outcome = examine(two_files(tmp_path), check)

    assert not outcome.is_sound
    assert outcome.crashes == ("bad.py:1:1: rule serial-map crashed",)


def test_failures_are_counted_by_what_they_say_without_names_and_numbers() -> None:
    assert kind("cannot decode 'a.py' at 17") == kind("cannot decode 'b.py' at 3")
