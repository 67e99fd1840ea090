import argparse
from pathlib import Path

import pytest
from tests.scan.builders import SLOW, hit, result, results_of, stored

from deepperf.cli import scan
from deepperf.config.options import WrongUse
from deepperf.scan.hits import hits_of

CORPUS = (
    '[[package]]\nname = "flowers"\nversion = "1.0"\nframework = "jax"\nwhat = "x"\n'
    f'file = "flowers-1.0.tar.gz"\nsha256 = "{"0" * 64}"\n'
)
JUDGED = (
    '[[hit]]\npackage = "flowers"\nversion = "1.0"\npath = "train.py"\nline = 3\n'
    'rule = "serial-map"\ntext = "x"\nverdict = "true"\nwhy = "it decodes"\n'
)


def deepperf_scan(*words: str | Path) -> int:
    parser = argparse.ArgumentParser()
    scan.prepare(parser)
    return scan.run(parser.parse_args([str(word) for word in words]))


def test_diff_says_what_was_gained_and_lost(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(tmp_path, "old", *results_of(hit(text="a.map(f)")), engine="early")
    stored(tmp_path, "new", *results_of(hit(text="b.map(f)")), engine="late")

    assert deepperf_scan("diff", "old", "new", "--store", tmp_path) == 0

    shown = capsys.readouterr().out
    assert "+ serial-map  flowers/train.py:3  b.map(f)" in shown
    assert "- serial-map  flowers/train.py:3  a.map(f)" in shown
    assert "serial-map: 1 gained, 1 lost" in shown


def test_sample_shows_source_and_writes_a_file_to_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(tmp_path / "scans", "night", *results_of(hit(line=2)))
    folder = tmp_path / "packages" / "flowers-1.0"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text("data = load()\ndata = data.map(maps[decode])\n")
    judge = tmp_path / "judge.toml"
    words: list[str | Path] = ["sample", "night", "--rule", "serial-map"]
    words += ["--store", tmp_path / "scans"]

    deepperf_scan(*words, "--corpus", tmp_path / "c.toml", "--judge", judge)

    assert ">     2 | data = data.map(maps[decode])" in capsys.readouterr().out
    assert 'verdict = ""' in judge.read_text()
    with pytest.raises(WrongUse, match=r"judge\.toml is there already"):
        deepperf_scan(*words, "--judge", judge)


def test_run_names_packages_that_are_not_fetched(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.toml"
    corpus.write_text(CORPUS)

    with pytest.raises(WrongUse, match=r"not fetched: flowers-1\.0"):
        deepperf_scan("run", "--corpus", corpus)


def test_clones_alone_need_no_pinned_packages_and_both_together_do(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.toml"
    corpus.write_text(CORPUS)
    clone = tmp_path / "clones" / "roses"
    clone.mkdir(parents=True)
    (clone / "train.py").write_text(SLOW)
    words: list[str | Path] = ["run", "--corpus", corpus, "--clones", tmp_path / "clones"]
    words += ["--store", tmp_path / "scans", "--workers", "1"]

    assert deepperf_scan(*words) == 0
    with pytest.raises(WrongUse, match=r"not fetched: flowers-1\.0"):
        deepperf_scan(*words, "--pinned")


def test_table_shows_the_share_of_true_hits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    judge = tmp_path / "2026-01-01.toml"
    judge.write_text(JUDGED)
    stored(tmp_path / "scans", "night", *results_of(hit()))

    deepperf_scan("table", judge, "--run", "night", "--store", tmp_path / "scans")

    row = capsys.readouterr().out.splitlines()[1].split()
    assert row[:7] == ["serial-map", "1", "1", "1", "0", "0", "100%"]


def test_run_checks_each_package_and_keeps_what_it_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.toml"
    corpus.write_text(CORPUS)
    folder = tmp_path / "packages" / "flowers-1.0"
    folder.mkdir(parents=True)
    (folder / "train.py").write_text(SLOW)
    (folder / "requirements.txt").write_text("tensorflow==2.4.0\n")
    words: list[str | Path] = ["run", "--corpus", corpus, "--workers", "1"]
    words += ["--store", tmp_path / "scans"]

    assert deepperf_scan(*words, "--run", "first") == 0
    assert deepperf_scan(*words, "--run", "second") == 0

    for run in ("first", "second"):
        (found,) = {one.rule for one in hits_of(tmp_path / "scans", run)}
        assert found == "serial-map"
    capsys.readouterr()
    sql = "SELECT run, state, peak > 0 AS is_known FROM tasks ORDER BY run"
    deepperf_scan("query", sql, "--store", tmp_path / "scans")
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[1:3] == [["first", "done", "True"], ["second", "same", "as", "before", "True"]]


def test_queries_join_findings_with_judgements(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "judged").mkdir()
    (tmp_path / "judged" / "2026-01-01.toml").write_text(JUDGED)
    stored(tmp_path / "scans", "night", *results_of(hit(), hit(line=9)))
    sql = (
        "SELECT verdict, count(*) AS times FROM findings LEFT JOIN judgements "
        "USING (package, version, path, line, rule) GROUP BY 1 ORDER BY 1"
    )

    deepperf_scan("query", sql, "--store", tmp_path / "scans", "--judgements", tmp_path / "judged")

    assert [line.split() for line in capsys.readouterr().out.splitlines()][1] == ["true", "1"]


def test_a_query_that_is_wrong_is_told_in_a_line(tmp_path: Path) -> None:
    stored(tmp_path, "night", result())
    with pytest.raises(WrongUse, match="the query does not work"):
        deepperf_scan("query", "SELECT nothing", "--store", tmp_path)


def test_report_writes_a_page_in_which_nothing_of_a_package_is_markup(tmp_path: Path) -> None:
    pytest.importorskip("jinja2")
    stored(tmp_path, "night", *results_of(hit(package="<script>alert(1)</script>")))
    page = tmp_path / "page.html"

    deepperf_scan("report", "night", "--store", tmp_path, "--output", page)

    text = page.read_text()
    assert "&lt;script&gt;alert" in text
    assert "<script" not in text
    for title in ("Problems by rule", "Problems by framework", "Problems by year"):
        assert title in text


def test_simulate_and_convert_can_be_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = tmp_path / "hits.jsonl"
    lines.write_text(
        '{"record": "scan", "format": 1}\n{"record": "package", "package": "flowers", '
        '"version": "1.0", "files": 4, "lines": 100, "seconds": 1.25}\n'
    )
    deepperf_scan("convert", lines, "--run", "old", "--store", tmp_path / "scans")
    result_file = tmp_path / "result.json"

    deepperf_scan(
        "simulate", "old", "--store", tmp_path / "scans", "--count", "50", "--output", result_file
    )

    assert "50 rows, 0 lost" in capsys.readouterr().out
    assert '"packages": 50' in result_file.read_text()
