from pathlib import Path

import pytest
from tests.scan import builders

from deepperf.records import Failure, Location, Report
from deepperf.scan.corpus import Package
from deepperf.scan.engines.local import run_tasks
from deepperf.scan.merge import merge
from deepperf.scan.task import scan

LINE = "    data = data.map(decode)"


def check_one_file(folder: Path) -> list[Report]:
    path = str(folder / "train.py")
    return [builders.report(path, builders.finding(path, 1, LINE))]


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_a_task_counts_files_and_lines_and_keeps_the_findings(tmp_path: Path) -> None:
    write(tmp_path, "train.py", f"{LINE}\n# end\n")

    scanned = scan("flowers", "1.0", tmp_path, check_one_file)

    assert (scanned.files, scanned.lines) == (1, 2)
    assert scanned.seconds >= 0
    assert [(hit.path, hit.line, hit.rule, hit.text) for hit in scanned.hits] == [
        ("train.py", 1, "serial-map", "data = data.map(decode)")
    ]


def test_findings_on_lines_with_the_same_text_are_numbered(tmp_path: Path) -> None:
    write(tmp_path, "train.py", "\n")

    def check(folder: Path) -> list[Report]:
        path = str(folder / "train.py")
        findings = [
            builders.finding(path, 9, LINE),
            builders.finding(path, 4, LINE.strip()),
            builders.finding(path, 5, LINE, rule="map-before-batch"),
        ]
        return [builders.report(path, *findings)]

    hits = scan("flowers", "1.0", tmp_path, check).hits

    assert [(hit.line, hit.occurrence) for hit in hits] == [(4, 1), (5, 1), (9, 2)]


def test_paths_count_from_the_package_though_reports_count_from_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "flowers", "train.py", "x\n")
    monkeypatch.chdir(tmp_path)
    path = "flowers/train.py"

    def check(folder: Path) -> list[Report]:
        return [builders.report(path, builders.finding(path, 1, LINE))]

    for folder in (Path("flowers"), tmp_path / "flowers"):
        scanned = scan("flowers", "1.0", folder, check)

        assert scanned.hits[0].path == "train.py"
        assert scanned.lines == 1


def test_what_could_not_be_checked_is_kept(tmp_path: Path) -> None:
    path = str(tmp_path / "bad.py")
    failure = Failure(Location(path, 2, 1, 2, 1), "not Python", internal=False)

    def check(folder: Path) -> list[Report]:
        return [builders.report(path, failures=[failure])]

    (trouble,) = scan("flowers", "1.0", tmp_path, check).troubles

    assert (trouble.path, trouble.line, trouble.message) == ("bad.py", 2, "not Python")
    assert not trouble.internal


def two_packages(folder: Path) -> list[Package]:
    packages = [builders.package(version=version) for version in ("1.0", "2.0")]
    for package in packages:
        write(package.folder(folder), "train.py", "x\n")
    return packages


def test_the_local_engine_gives_the_same_in_one_process_and_in_several(tmp_path: Path) -> None:
    packages = two_packages(tmp_path)

    alone, together = (
        merge(scanned for _, scanned in run_tasks(packages, tmp_path, check_one_file, jobs))
        for jobs in (1, 2)
    )

    assert alone.hits == together.hits
    assert [hit.version for hit in alone.hits] == ["1.0", "2.0"]
