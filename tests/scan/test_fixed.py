import subprocess
from pathlib import Path

import pytest
from tests.scan.builders import SLOW, hit

from deepperf.cli.main import main
from deepperf.scan.corpus import CorpusError
from deepperf.scan.fixed import Fix, fixed_table, read_fixes, tried
from deepperf.scan.judgements import questions
from deepperf.scan.standing import read_standings
from deepperf.scan.task import check_with_all_rules

FAST = SLOW.replace("read_file)", "read_file, num_parallel_calls=4)")


def commit(clone: Path, text: str) -> str:
    clone.joinpath("pipeline.py").write_text(text, encoding="utf-8")
    clone.joinpath("requirements.txt").write_text("tensorflow==2.4.0\n", encoding="utf-8")
    git(clone, "add", "-A")
    git(clone, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "one more")
    return git(clone, "rev-parse", "HEAD").strip()


def git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def fix(tmp_path: Path) -> Fix:
    clone = tmp_path / "someone+something"
    clone.mkdir()
    git(clone, "init", "-q")
    before, after = commit(clone, SLOW), commit(clone, FAST)
    return Fix("someone/something", before, after, "pipeline.py", "serial-map", (6,), "mended")


def test_a_mended_line_is_named_before_the_fix_and_not_after(tmp_path: Path, fix: Fix) -> None:
    (outcome,) = tried([fix], tmp_path, check_with_all_rules)

    assert (outcome.named, outcome.after) == ((6,), 0)
    assert "| serial-map | 1 | 1 | 0 | 0 | 1 of 1 files |" in fixed_table([outcome])


def test_the_table_names_repositories_with_links(
    tmp_path: Path, fix: Fix, capsys: pytest.CaptureFixture[str]
) -> None:
    fixes = tmp_path / "fixed.toml"
    fixes.write_text(
        f'[[fix]]\nrepository = "{fix.repository}"\nbefore = "{fix.before}"\n'
        f'after = "{fix.after}"\npath = "{fix.path}"\nrule = "{fix.rule}"\n'
        f'lines = [6]\nchange = "{fix.change}"\n',
        encoding="utf-8",
    )

    assert main(["scan", "fixed", str(tmp_path), "--fixes", str(fixes)]) == 0

    assert "| [someone/something](https://github.com/" in capsys.readouterr().out


def test_judged_repositories_are_checked_from_clones_and_their_hits_told_again(
    tmp_path: Path, fix: Fix, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = hit(package=fix.repository, version=fix.before, path=fix.path, line=6, rule=fix.rule)
    home = tmp_path / "corpus"
    (home / "judgements").mkdir(parents=True)
    asked = questions([judged]).replace('verdict = ""', 'verdict = "true"')
    text = asked.replace('why = ""', 'why = "all files are read on one core"')
    (home / "judgements" / "2026-01-31.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert main(["scan", "run", "--judged", ".", "--run", "people", "--workers", "1"]) == 0
    assert main(["scan", "standing", "people"]) == 0

    assert [one.level for one in read_standings(home / "standings.json")] == ["warning"]


def test_a_clone_that_is_not_there_is_named(tmp_path: Path, fix: Fix) -> None:
    with pytest.raises(CorpusError, match="someone/something"):
        list(tried([fix], tmp_path / "elsewhere", check_with_all_rules))


def test_the_fixes_of_the_corpus_can_be_read() -> None:
    fixes = read_fixes(Path(__file__).parents[2] / "corpus/fixed/fixed.toml")

    assert all(len(fix.before) == len(fix.after) == 40 and fix.lines for fix in fixes)


def test_a_file_that_is_no_list_of_fixes_is_named(tmp_path: Path) -> None:
    wrong = tmp_path / "fixed.toml"
    wrong.write_text("[[fix]]\nrepository = 'a/b'\n", encoding="utf-8")

    with pytest.raises(CorpusError, match=r"fixed\.toml"):
        read_fixes(wrong)
