from pathlib import Path

from tests.scan import builders

from deepperf.records import Failure, Location, Report
from deepperf.scan.package import Form, Package, State
from deepperf.scan.task import check_with_all_rules, out_of_memory, scan

LINE = "    data = data.map(decode)"


def check_one_file(folder: Path) -> list[Report]:
    path = str(folder / "train.py")
    return [builders.report(path, builders.finding(path, 1, LINE))]


def write(folder: Path, name: str, text: str) -> Package:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    return Package("flowers", "1.0", str(folder))


def test_a_task_counts_files_and_lines_and_keeps_the_findings(tmp_path: Path) -> None:
    scanned = scan(write(tmp_path, "train.py", f"{LINE}\n# end\n"), check_one_file)

    assert (scanned.state, scanned.tree.files, scanned.tree.lines) == (State.DONE, 1, 2)
    assert [(hit.path, hit.line, hit.rule, hit.text) for hit in scanned.hits] == [
        ("train.py", 1, "serial-map", "data = data.map(decode)")
    ]


def test_findings_on_lines_with_the_same_text_are_numbered(tmp_path: Path) -> None:
    def check(folder: Path) -> list[Report]:
        path = str(folder / "train.py")
        findings = [
            builders.finding(path, 9, LINE),
            builders.finding(path, 4, LINE.strip()),
            builders.finding(path, 5, LINE, rule="map-before-batch"),
        ]
        return [builders.report(path, *findings)]

    hits = scan(write(tmp_path, "train.py", "\n"), check).hits

    assert [(hit.line, hit.occurrence) for hit in hits] == [(4, 1), (5, 1), (9, 2)]


def test_what_could_not_be_checked_is_kept(tmp_path: Path) -> None:
    def check(folder: Path) -> list[Report]:
        path = str(folder / "bad.py")
        failure = Failure(Location(path, 2, 1, 2, 1), "not Python", internal=False)
        return [builders.report(path, failures=[failure])]

    (trouble,) = scan(write(tmp_path, "bad.py", "\n"), check).troubles

    assert (trouble.path, trouble.line, trouble.message) == ("bad.py", 2, "not Python")
    assert not trouble.internal


def test_a_tree_that_is_known_is_not_checked_again(tmp_path: Path) -> None:
    package = write(tmp_path, "train.py", "x\n")
    digest = scan(package, check_one_file).tree.digest
    known = Package(package.name, package.version, package.path, known=(digest,))

    def never(folder: Path) -> list[Report]:
        raise AssertionError(folder)

    assert scan(known, never).state is State.SAME
    write(tmp_path, "train.py", "y\n")
    assert scan(known, check_one_file).state is State.DONE


def test_what_cannot_be_opened_is_a_result_too(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"PK")
    for package in (
        Package("a", "1", str(tmp_path / "a.zip"), Form.ARCHIVE),
        Package("b", "1", str(tmp_path / "nowhere")),
        Package("c", "1", str(tmp_path), Form.COMMIT, commit="0" * 40),
    ):
        scanned = scan(package)
        assert (scanned.state, scanned.hits) == (State.UNREADABLE, ())
        assert scanned.message


def test_a_check_that_ran_out_of_memory_in_one_file_does_not_count(tmp_path: Path) -> None:
    def check(folder: Path) -> list[Report]:
        path = str(folder / "train.py")
        said = "rule serial-map crashed: MemoryError: "
        failure = Failure(Location(path, 2, 1, 2, 1), said, internal=True)
        return [builders.report(path, builders.finding(path, 1, LINE), failures=[failure])]

    scanned = out_of_memory(scan(write(tmp_path, "train.py", "x\n"), check))

    assert (scanned.state, scanned.hits) == (State.LARGE, ())


def test_settings_and_neighbours_of_a_package_do_not_count(tmp_path: Path) -> None:
    package = write(tmp_path / "site-packages" / "flowers", "train.py", builders.SLOW)
    write(Path(package.path), "requirements.txt", "tensorflow==2.4.0\n")
    write(tmp_path / "site-packages", "pyproject.toml", "[tool.deepperf\n")
    write(Path(package.path), "pyproject.toml", '[tool.deepperf]\nignore = ["serial-map"]\n')

    assert "serial-map" in {hit.rule for hit in scan(package, check_with_all_rules).hits}
