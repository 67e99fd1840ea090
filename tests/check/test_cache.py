"""A cache saves time and does nothing else: no harm to files, and no word in what is found."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.check.small_rules import ODD, SLOW, engine

from deepperf.check.cache import KEPT, cache_folder, digest_of, load, save
from deepperf.check.paths import Tree, check_tree, starts
from deepperf.config.load import KEYS
from deepperf.config.options import Options

TRAIN = "import tensorflow as tf\nslow(1)\n"


@pytest.fixture
def caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "caches"
    monkeypatch.setenv("DEEPPERF_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def project(tmp_path: Path, caches: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "pyproject.toml").write_text("", encoding="utf-8")
    (root / "train.py").write_text(TRAIN, encoding="utf-8")
    age(root)
    return root


def age(root: Path) -> None:
    """Make a project look as if nothing had been written there for long."""
    for path in (*root.iterdir(), root):
        os.utime(path, (1_000_000_000, 1_000_000_000), follow_symlinks=False)


def check(root: Path, options: Options | None = None) -> Tree:
    (start,) = starts([root], lambda found: options or found)
    return check_tree(start, engine(SLOW, ODD))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def signed(path: Path, content: Any) -> None:
    """Write a cache's file as an attacker would who knows how it is made."""
    body = json.dumps(content).encode()
    place = f"{path.parent.name}/{path.stem}\n".encode()
    path.write_bytes(b"deepperf cache " + digest_of(place + body).encode() + b"\n" + body)


def test_nothing_is_left_in_the_project(project: Path, caches: Path) -> None:
    check(project)

    assert sorted(path.name for path in project.iterdir()) == ["pyproject.toml", "train.py"]
    assert [path.name for path in caches.iterdir()] == [cache_folder(project).name]


def test_a_link_that_bears_the_name_of_a_cache_costs_no_file(project: Path) -> None:
    annotations = project / "annotations"
    annotations.mkdir()
    for number in range(40):
        (annotations / f"{number:016x}.json").write_text("{}", encoding="utf-8")
    (project / ".deepperf_cache").symlink_to("annotations", target_is_directory=True)
    before = contents(annotations)

    for number in range(KEPT + 2):
        check(project, Options(per_file_ignores={f"other{number}.py": ("slow-call",)}))

    assert contents(annotations) == before


@pytest.mark.parametrize("place", ["the folder of all caches", "the folder of the project's cache"])
def test_a_link_in_the_place_of_a_cache_loses_nothing(
    project: Path, caches: Path, place: str
) -> None:
    mine = project.parent / "mine"
    mine.mkdir()
    for number in range(40):
        (mine / f"{number:016x}.cache").write_text("mine", encoding="utf-8")
    if place == "the folder of all caches":
        caches.symlink_to(mine, target_is_directory=True)
    else:
        caches.mkdir()
        cache_folder(project).symlink_to(mine, target_is_directory=True)
    before = contents(mine)

    check(project)

    after = (
        contents(mine)
        if place != "the folder of all caches"
        else {path.name: path.read_bytes() for path in mine.iterdir() if path.is_file()}
    )
    assert after == before


def test_a_file_that_is_a_link_is_neither_read_nor_written_through(project: Path) -> None:
    folder = cache_folder(project)
    save(folder, "a" * 16, [1])
    elsewhere = project.parent / "elsewhere"
    (folder / f"{'a' * 16}.cache").rename(elsewhere)
    (folder / f"{'a' * 16}.cache").symlink_to(elsewhere)
    before = elsewhere.read_bytes()

    assert load(folder, "a" * 16, list[int]) is None
    save(folder, "a" * 16, [2])

    assert elsewhere.read_bytes() == before
    assert load(folder, "a" * 16, list[int]) == [2]


def test_only_what_was_written_here_is_deleted(project: Path) -> None:
    folder = cache_folder(project)
    save(folder, "f" * 16, 0)
    (folder / "notes.cache").write_text("mine", encoding="utf-8")
    (folder / f"{'e' * 16}.cache").write_text("mine", encoding="utf-8")
    (folder / f"{'d' * 16}.cache").mkdir()
    age(folder)
    for number in range(3 * KEPT):
        save(folder, f"{number:016x}", number)

    names = {path.name for path in folder.iterdir()}
    assert {"notes.cache", f"{'e' * 16}.cache", f"{'d' * 16}.cache", "CACHEDIR.TAG"} <= names
    assert f"{'f' * 16}.cache" not in names
    assert len(names) < 2 * KEPT


def test_a_cache_that_came_with_the_project_is_not_read(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = check(project)
    (project / ".deepperf_cache").mkdir()
    for path in cache_folder(project).iterdir():
        (project / ".deepperf_cache" / path.name).write_bytes(path.read_bytes())
    monkeypatch.setenv("DEEPPERF_CACHE_DIR", str(tmp_path / "others"))
    came = contents(project / ".deepperf_cache")

    assert check(project).reports == before.reports
    assert contents(project / ".deepperf_cache") == came


def test_no_setting_of_a_project_places_its_cache(project: Path) -> None:
    assert [name for name in KEYS if "cache" in name] == ["cache"]
    assert KEYS["cache"].wanted == "true or false"


def test_a_project_has_one_cache_by_whatever_link_it_is_reached(project: Path) -> None:
    link = project.parent / "link"
    link.symlink_to(project, target_is_directory=True)

    assert cache_folder(link) == cache_folder(project)


def test_an_edited_cache_hides_no_finding(project: Path) -> None:
    first = check(project)
    assert first.reports[0].findings
    for path in cache_folder(project).glob("*.cache"):
        text = path.read_text(encoding="ascii")
        text = re.sub(r'\{"path":"train.py","findings":.*?"left_out":false\}', "null", text)
        path.write_text(text.replace("true", "false"), encoding="ascii")

    assert check(project) == first


def test_a_cache_of_another_project_or_name_is_none(project: Path) -> None:
    other = project.parent / "other"
    save(cache_folder(project), "0" * 16, [1])
    save(cache_folder(other), "0" * 16, [2])
    file = cache_folder(project) / f"{'0' * 16}.cache"
    (cache_folder(other) / file.name).write_bytes(file.read_bytes())
    file.with_name(f"{'1' * 16}.cache").write_bytes(file.read_bytes())

    assert load(cache_folder(project), "0" * 16, list[int]) == [1]
    assert load(cache_folder(project), "1" * 16, list[int]) is None
    assert load(cache_folder(other), "0" * 16, list[int]) is None


@pytest.mark.parametrize(
    "junk", [b"", b"{", b"[]", b"deepperf cache ", b"\x00\xff", b"null", b"[" * 100_000]
)
def test_a_cache_that_is_damaged_is_as_good_as_none(project: Path, junk: bytes) -> None:
    first = check(project)
    for path in cache_folder(project).glob("*.cache"):
        path.write_bytes(junk)

    assert check(project) == first


def test_a_cache_cut_anywhere_is_as_good_as_none(project: Path) -> None:
    first = check(project)
    for path in cache_folder(project).glob("*.cache"):
        path.write_bytes(path.read_bytes()[: -path.stat().st_size // 3])

    assert check(project) == first


WRONG: tuple[Any, ...] = (None, True, -1, 10**30, "x", [[]], {"x": 1})


def variants(content: Any) -> list[Any]:
    """Each way to put a value of another type in the place of one value of the content."""
    found = [wrong for wrong in WRONG if type(wrong) is not type(content)]
    if isinstance(content, list):
        for place, item in enumerate(content):
            found += [[*content[:place], one, *content[place + 1 :]] for one in variants(item)]
        found += [content[:-1], [*content, 7]]
    elif isinstance(content, dict):
        for key, item in content.items():
            found += [{**content, key: one} for one in variants(item)]
        found += [{k: v for k, v in content.items() if k != key} for key in content]
    return found


def test_a_wrong_type_anywhere_ends_no_check_even_where_the_digest_is_right(project: Path) -> None:
    first = check(project)
    assert first.reports[0].findings
    files = contents(cache_folder(project))
    for name in files:
        if not name.endswith(".cache"):
            continue
        good = json.loads(files[name].partition(b"\n")[2])
        for wrong in variants(good):
            signed(cache_folder(project) / name, wrong)
            assert isinstance(check(project), Tree)
        (cache_folder(project) / name).write_bytes(files[name])


def test_where_no_cache_can_be_kept_the_check_goes_on(project: Path, caches: Path) -> None:
    first = check(project)
    for path in cache_folder(project).iterdir():
        path.unlink()
    cache_folder(project).rmdir()
    cache_folder(project).write_text("in the way", encoding="utf-8")

    assert check(project) == first
    assert cache_folder(project).read_text(encoding="utf-8") == "in the way"


def test_names_that_are_no_unicode_are_remembered(project: Path) -> None:
    odd = os.fsdecode(b"\xff.py")
    (project / odd).write_text(TRAIN, encoding="utf-8")
    age(project)
    first = check(project)

    assert [path for path in cache_folder(project).iterdir() if path.suffix == ".cache"]
    assert check(project) == first
