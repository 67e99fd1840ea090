import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from deepperf.scan.corpus import CorpusError, Kind
from deepperf.scan.unpack import requirements_of, unpack


def sdist(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "flowers-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def wheel(folder: Path, members: dict[str, bytes]) -> Path:
    path = folder / "flowers-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_an_sdist_loses_its_top_folder_and_keeps_sources_and_metadata(tmp_path: Path) -> None:
    archive = sdist(
        tmp_path,
        {
            "flowers-1.0/setup.py": b"raise SystemExit('this must not run')",
            "flowers-1.0/flowers/train.py": b"import tensorflow\n",
            "flowers-1.0/flowers/weights.bin": b"\0" * 10,
        },
    )

    unpack(archive, tmp_path / "out", Kind.SDIST)

    assert names(tmp_path / "out") == {"setup.py", "flowers/train.py", "deepperf.toml"}
    assert (tmp_path / "out/flowers/train.py").read_bytes() == b"import tensorflow\n"


def test_a_wheel_gets_its_requirements_written_where_a_project_has_them(tmp_path: Path) -> None:
    metadata = (
        b"Metadata-Version: 2.1\nName: flowers\n"
        b"Requires-Dist: numpy\n"
        b'Requires-Dist: tensorflow (>=1.15) ; extra == "tf"\n'
        b'Requires-Dist: six ; python_version < "3.5" and extra == "tf"\n'
    )
    archive = wheel(tmp_path, {"flowers/train.py": b"", "flowers-1.0.dist-info/METADATA": metadata})

    unpack(archive, tmp_path / "out", Kind.WHEEL)

    assert (tmp_path / "out/requirements.txt").read_text().splitlines() == [
        "numpy",
        "tensorflow (>=1.15)",
        'six ; python_version < "3.5"',
    ]


def test_a_project_with_its_own_requirements_keeps_them(tmp_path: Path) -> None:
    archive = sdist(
        tmp_path,
        {
            "flowers-1.0/requirements.txt": b"torch==2.0\n",
            "flowers-1.0/PKG-INFO": b"Name: flowers\nRequires-Dist: torch\n",
        },
    )

    unpack(archive, tmp_path / "out", Kind.SDIST)

    assert (tmp_path / "out/requirements.txt").read_text() == "torch==2.0\n"


def test_requirements_come_from_the_built_metadata_of_old_sdists_too(tmp_path: Path) -> None:
    info = tmp_path / "flowers.egg-info"
    info.mkdir()
    (info / "requires.txt").write_text("numpy\n\n[tf]\ntensorflow>=1.15\n")

    assert requirements_of(tmp_path) == ("numpy", "tensorflow>=1.15")


@pytest.mark.parametrize("name", ["../evil.py", "/evil.py", "a/../../evil.py", "C:/evil.py"])
def test_a_member_that_reaches_outside_is_refused(tmp_path: Path, name: str) -> None:
    for archive, kind in (
        (sdist(tmp_path, {name: b""}), Kind.SDIST),
        (wheel(tmp_path, {name: b""}), Kind.WHEEL),
    ):
        with pytest.raises(CorpusError, match=r"evil\.py"):
            unpack(archive, tmp_path / f"out-{kind.value}", kind)

    assert not list(tmp_path.rglob("evil.py"))


def test_links_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "flowers-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo("flowers-1.0/link.py")
        info.type = tarfile.SYMTYPE
        info.linkname = "/etc/passwd"
        archive.addfile(info)

    unpack(path, tmp_path / "out", Kind.SDIST)

    assert names(tmp_path / "out") == {"deepperf.toml"}


@pytest.mark.parametrize("kind", list(Kind))
def test_a_broken_archive_is_named(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / ("broken.whl" if kind is Kind.WHEEL else "broken.tar.gz")
    path.write_bytes(b"this is no archive")

    with pytest.raises(CorpusError, match=r"^broken\."):
        unpack(path, tmp_path / "out", kind)
