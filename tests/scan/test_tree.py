"""What becomes of a package that strangers made."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

from deepperf.scan import members, tree
from deepperf.scan.members import Unreadable, archive_members, folder_members
from deepperf.scan.tree import gather, requirements_of, without_top


def sdist(folder: Path, content: dict[str, bytes]) -> Path:
    path = folder / "flowers-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, data in content.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            info.mtime = 1_700_000_000
            archive.addfile(info, io.BytesIO(data))
    return path


def wheel(folder: Path, content: dict[str, bytes]) -> Path:
    path = folder / "flowers-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_an_sdist_loses_its_top_folder_and_keeps_programs_and_metadata(tmp_path: Path) -> None:
    archive = sdist(
        tmp_path,
        {
            "flowers-1.0/setup.py": b"raise SystemExit('this must not run')\n",
            "flowers-1.0/flowers/train.py": b"import tensorflow\nfrom torch import nn\n",
            "flowers-1.0/flowers/weights.bin": b"\0" * 10,
        },
    )

    made = gather(archive_members(archive), tmp_path / "out", without_top)

    assert names(tmp_path / "out") == {"setup.py", "flowers/train.py", "deepperf.toml"}
    assert (made.files, made.lines, made.year) == (2, 3, 2023)
    assert made.frameworks == ("tensorflow", "torch")
    assert made.left_out == ()


def test_the_same_bytes_have_the_same_digest_however_they_come(tmp_path: Path) -> None:
    content = {"flowers/train.py": b"import jax\n", "flowers/a/b.py": b""}
    folder = tmp_path / "clone"
    for name, data in content.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)

    first = gather(folder_members(folder), tmp_path / "one")
    second = gather(archive_members(wheel(tmp_path, content)), tmp_path / "two")
    other = gather(archive_members(wheel(tmp_path, {"flowers/train.py": b""})), tmp_path / "three")

    assert first.digest == second.digest != other.digest


def test_a_wheel_gets_its_requirements_written_where_a_project_has_them(tmp_path: Path) -> None:
    metadata = (
        b"Metadata-Version: 2.1\nName: flowers\n"
        b"Requires-Dist: numpy\n"
        b'Requires-Dist: tensorflow (>=1.15) ; extra == "tf"\n'
        b'Requires-Dist: six ; python_version < "3.5" and extra == "tf"\n'
    )
    archive = wheel(tmp_path, {"flowers/train.py": b"", "flowers-1.0.dist-info/METADATA": metadata})

    gather(archive_members(archive), tmp_path / "out")

    assert (tmp_path / "out/requirements.txt").read_text().splitlines() == [
        "numpy",
        "tensorflow (>=1.15)",
        'six ; python_version < "3.5"',
    ]


def test_a_project_with_its_own_requirements_keeps_them(tmp_path: Path) -> None:
    content = {
        "flowers-1.0/requirements.txt": b"torch==2.0\n",
        "flowers-1.0/PKG-INFO": b"Name: flowers\nRequires-Dist: torch\n",
    }

    gather(archive_members(sdist(tmp_path, content)), tmp_path / "out", without_top)

    assert (tmp_path / "out/requirements.txt").read_text() == "torch==2.0\n"


def test_requirements_come_from_the_built_metadata_of_old_sdists_too(tmp_path: Path) -> None:
    info = tmp_path / "flowers.egg-info"
    info.mkdir()
    (info / "requires.txt").write_text("numpy\n\n[tf]\ntensorflow>=1.15\n")

    assert requirements_of(tmp_path) == ("numpy", "tensorflow>=1.15")


@pytest.mark.parametrize("name", ["../evil.py", "/evil.py", "a/../../evil.py", "C:/evil.py"])
def test_a_file_that_leads_outside_is_left_out_and_told(tmp_path: Path, name: str) -> None:
    content = {name: b"", "good.py": b""}
    for number, archive in enumerate((sdist(tmp_path, content), wheel(tmp_path, content))):
        made = gather(archive_members(archive), tmp_path / f"out-{number}")

        assert "good.py" in names(tmp_path / f"out-{number}")
        assert [why for _, why in made.left_out] == ["its name leads outside the package"]
    assert not list(tmp_path.rglob("evil.py"))


def test_settings_of_the_package_do_not_count(tmp_path: Path) -> None:
    content = {"deepperf.toml": b'cache-dir = "/"\n', "good.py": b""}

    gather(archive_members(wheel(tmp_path, content)), tmp_path / "out")

    assert "cache" not in (tmp_path / "out" / "deepperf.toml").read_text()


def test_links_in_an_archive_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "flowers-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            info = tarfile.TarInfo(f"flowers-1.0/link{kind!r}.py")
            info.type = kind
            info.linkname = "/etc/passwd"
            archive.addfile(info)

    gather(archive_members(path), tmp_path / "out", without_top)

    assert names(tmp_path / "out") == {"deepperf.toml"}


def test_links_and_pipes_in_a_folder_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "secret.py").write_text("password = 1\n")
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "good.py").write_text("x = 1\n")
    (folder / "link.py").symlink_to(secret / "secret.py")
    (folder / "linked").symlink_to(secret)
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.py")

    gather(folder_members(folder), tmp_path / "out")

    assert names(tmp_path / "out") == {"good.py", "deepperf.toml"}


def test_a_file_that_becomes_a_link_after_the_listing_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / "good.py").write_text("x = 1\n")
    (listed,) = folder_members(folder)
    (folder / "good.py").unlink()
    (folder / "good.py").symlink_to("/etc/passwd")

    made = gather([listed], tmp_path / "out")

    assert [path for path, _ in made.left_out] == ["good.py"]


@pytest.mark.parametrize("make", [sdist, wheel])
def test_an_archive_that_unpacks_to_more_than_any_package_is_refused_before_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: object
) -> None:
    monkeypatch.setattr(members, "LARGEST_ARCHIVE", 1_000_000)
    bomb = make(tmp_path, {"a/weights.bin": b"\0" * 900_000, "a/more.bin": b"\0" * 900_000})  # type: ignore[operator]
    assert bomb.stat().st_size < 10_000

    with pytest.raises(Unreadable, match=r"^flowers-1\.0.*: larger unpacked than any package"):
        gather(archive_members(bomb), tmp_path / "out")


def test_a_file_that_is_larger_than_its_archive_declares_is_left_out(tmp_path: Path) -> None:
    path = wheel(tmp_path, {"lying.py": b"x = 1\n" * 1000, "good.py": b""})
    data = bytearray(path.read_bytes())
    place = data.rindex(b"PK\x01\x02", 0, data.rindex(b"PK\x01\x02"))
    data[place + 24 : place + 28] = (6).to_bytes(4, "little")  # the size in the directory
    path.write_bytes(data)

    made = gather(archive_members(path), tmp_path / "out")

    assert [name for name, _ in made.left_out] == ["lying.py"]
    assert names(tmp_path / "out") == {"good.py", "deepperf.toml"}


def test_huge_files_and_further_ones_of_a_huge_package_are_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "LARGEST_FILE", 3 * 1024**2)
    monkeypatch.setattr(tree, "LARGEST_TREE", 100)
    content = {"huge.py": b"#" * 4 * 1024**2, "a.py": b"#" * 80, "b.py": b"#" * 80, "c.py": b"#"}

    made = gather(archive_members(wheel(tmp_path, content)), tmp_path / "out")

    assert made.left_out == (
        ("b.py", "the package is larger than what is scanned of one"),
        ("huge.py", "larger than 3 MiB"),
    )
    assert made.files == 2


@pytest.mark.parametrize("name", ["no\ntext.py", "a" * 300 + ".py", "a.py/b.py"])
def test_a_name_that_cannot_be_written_costs_its_file(tmp_path: Path, name: str) -> None:
    content = {"a.py": b"x = 1\n", name: b""}

    made = gather(archive_members(sdist(tmp_path, content)), tmp_path / "out")

    assert [path for path, _ in made.left_out] == [name]
    assert (tmp_path / "out/a.py").read_text() == "x = 1\n"


@pytest.mark.parametrize("name", ["broken.whl", "broken.tar.gz", "broken.zip"])
@pytest.mark.parametrize("data", [b"this is no archive", b"", b"PK\x03\x04" + b"\0" * 40])
def test_a_broken_archive_is_named(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)

    with pytest.raises(Unreadable, match=r"^broken\.") as caught:
        gather(archive_members(path), tmp_path / "out")
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="nowhere"):
        list(folder_members(tmp_path / "nowhere"))
