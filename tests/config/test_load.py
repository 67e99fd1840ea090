"""Settings come from the nearest file, and what is wrong in it is named."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from deepperf.check.paths import check_paths, check_tree, starts
from deepperf.cli.config import as_toml
from deepperf.config.load import KEYS, RootKind, config_file, load_options, project_root
from deepperf.config.options import Options, WrongUse
from deepperf.records import Level


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_count(tmp_path: Path) -> None:
    assert load_options(tmp_path)[0] == Options()


def test_every_key_is_read(tmp_path: Path) -> None:
    write(
        tmp_path / "deepperf.toml",
        """
        select = ["tracing"]
        ignore = ["serial-map"]
        preview = true
        level = "note"
        include = ["*.pyi"]
        exclude = ["vendor"]
        jobs = 3
        cache = false
        [framework-versions]
        tensorflow = "2.4"
        [per-file-ignores]
        "tests/*" = ["all"]
        [per-file-level]
        "research/*" = "error"
        """,
    )

    assert load_options(tmp_path)[0] == Options(
        select=("tracing",),
        ignore=("serial-map",),
        preview=True,
        level=Level.NOTE,
        include=("*.pyi",),
        exclude=("vendor",),
        jobs=3,
        cache=False,
        framework_versions={"tensorflow": "2.4"},
        per_file_ignores={"tests/*": ("all",)},
        per_file_level={"research/*": Level.ERROR},
    )


def test_every_key_is_documented_with_its_default() -> None:
    page = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| `(.+?)` \|", page, flags=re.MULTILINE)

    assert [name for name, _ in rows] == list(KEYS)
    for name, default in rows:
        assert as_toml(getattr(Options(), KEYS[name].option)) == default


def test_the_nearest_file_counts_and_one_without_our_table_is_passed_by(tmp_path: Path) -> None:
    top = write(tmp_path / "pyproject.toml", "[tool.deepperf]\njobs = 1\n")
    write(tmp_path / "a" / "pyproject.toml", "[tool.other]\n")
    near = write(tmp_path / "a" / "b" / "deepperf.toml", "jobs = 2\n")
    (tmp_path / "a" / "b" / "c").mkdir()

    assert config_file(tmp_path / "a") == top
    assert config_file(tmp_path / "a" / "b" / "c") == near


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("selct = []", "unknown key 'selct'; did you mean 'select'?"),
        ("per_file_ignores = {}", "did you mean 'per-file-ignores'"),
        ("zzz = 1", "unknown key 'zzz'; known are select, "),
        ("select = 'all'", "select must be a list of strings, not 'all'"),
        ("select = [1]", "select must be a list of strings"),
        ("jobs = true", "jobs must be a whole number"),
        ("jobs = -1", "jobs must be a whole number"),
        ("level = 'high'", 'level must be "note", "warning" or "error", not \'high\''),
        ("cache = 1", "cache must be true or false"),
        ("framework-versions = {torch = 2}", "framework-versions must be a table of strings"),
        ("jobs = ", "not TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(tmp_path: Path, text: str, said: str) -> None:
    path = write(tmp_path / "deepperf.toml", text)

    with pytest.raises(WrongUse) as caught:
        load_options(tmp_path)

    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_our_entry_in_a_shared_file_must_be_a_table(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool]\ndeepperf = 3\n")

    with pytest.raises(WrongUse, match=r"tool\.deepperf must be a table"):
        load_options(tmp_path)


def test_the_root_is_where_a_mark_lies(tmp_path: Path) -> None:
    write(tmp_path / "setup.cfg", "")
    (tmp_path / "pkg" / "sub").mkdir(parents=True)

    assert project_root(tmp_path / "pkg" / "sub") == (tmp_path, RootKind.MARKED)


def test_installed_packages_have_the_folder_they_lie_in_for_root(tmp_path: Path) -> None:
    folder = tmp_path / "lib" / "site-packages"
    (folder / "torch" / "nn").mkdir(parents=True)

    assert project_root(folder / "torch" / "nn") == (folder, RootKind.INSTALLED)


@pytest.mark.parametrize(
    "text",
    [
        'ignore = ["no-such-rule"]',
        'framework-versions = {tensorflow = "new"}',
        'per-file-ignores = {"a.py" = ["no-such-rule"]}',
    ],
)
def test_a_wrong_value_names_the_file_that_holds_it(tmp_path: Path, text: str) -> None:
    settings = write(tmp_path / "deepperf.toml", text)
    write(tmp_path / "a.py", "import torch\n")

    with pytest.raises(WrongUse, match=f"^{re.escape(str(settings))}: "):
        check_paths([tmp_path])


def test_a_wrong_value_of_the_command_line_does_not(tmp_path: Path) -> None:
    write(tmp_path / "deepperf.toml", 'ignore = ["serial-map"]')
    write(tmp_path / "a.py", "import torch\n")

    (start,) = starts([tmp_path], lambda found: replace(found, select=("no-such-rule",)))
    with pytest.raises(WrongUse, match=r"^unknown rule"):
        check_tree(start)


def test_a_folder_that_a_path_only_passes_through_has_no_say(tmp_path: Path) -> None:
    write(tmp_path / "one" / "deepperf.toml", "preview = true")
    write(tmp_path / "two" / "a.py", "x = 1\n")
    beside = tmp_path / "one" / ".." / "two"

    assert project_root(beside) == (tmp_path / "two", RootKind.BARE)
    assert load_options(beside) == (Options(), None)


def test_settings_nested_too_deeply_are_told_in_a_line(tmp_path: Path) -> None:
    write(tmp_path / "deepperf.toml", f"select = {'[' * 100_000}")

    with pytest.raises(WrongUse, match=r"deepperf\.toml: nested too deeply"):
        load_options(tmp_path)
