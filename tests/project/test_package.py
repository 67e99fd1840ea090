"""What is installed, and what is published: complete, and no more than that."""

from __future__ import annotations

import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
DATA = {".py", ".md", ".toml", ".json", ".css", ".js", ".jinja", ".txt", ".csv", ".typed"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    builder = WheelBuilder(str(ROOT))
    folder = str(tmp_path_factory.mktemp("wheel"))
    return zipfile.ZipFile(next(builder.build(directory=folder, versions=["standard"])))


def of_metadata(wheel: zipfile.ZipFile, name: str) -> str:
    (path,) = (one for one in wheel.namelist() if one.endswith(f".dist-info/{name}"))
    return wheel.read(path).decode()


def test_the_wheel_has_every_file_that_the_package_reads(wheel: zipfile.ZipFile) -> None:
    there = {
        path.relative_to(SOURCE).as_posix()
        for path in (SOURCE / "deepperf").rglob("*")
        if path.suffix in DATA and "__pycache__" not in path.parts
    }
    assert there - set(wheel.namelist()) == set()
    others = {name.partition("/")[0] for name in wheel.namelist()} - {"deepperf"}
    assert all(name.endswith(".dist-info") for name in others)


def test_the_command_and_the_plugin_of_pytest_are_declared(wheel: zipfile.ZipFile) -> None:
    declared = of_metadata(wheel, "entry_points.txt")
    assert "deepperf = deepperf.cli.main:program" in declared
    assert "[pytest11]\ndeepperf = deepperf.surfaces.testing.plugin" in declared


def test_the_metadata_say_what_it_runs_on_and_under_which_licence(wheel: zipfile.ZipFile) -> None:
    metadata: Message = Parser().parsestr(of_metadata(wheel, "METADATA"))
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "MIT"
    classifiers = metadata.get_all("Classifier") or []
    assert "Operating System :: POSIX :: Linux" in classifiers  # where it is tested
    assert {"lsp", "mcp", "run", "prove"} <= set(metadata.get_all("Provides-Extra") or [])


def test_the_sources_are_published_without_the_specimens(tmp_path: Path) -> None:
    builder = SdistBuilder(str(ROOT))
    with tarfile.open(next(builder.build(directory=str(tmp_path), versions=["standard"]))) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {"pyproject.toml", "LICENSE", "README.md", "tests/conftest.py"} <= names
    assert not [
        name for name in names if name.startswith("tests/programs/") and name.count("/") > 2
    ]
