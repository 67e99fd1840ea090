from pathlib import Path

import pytest
from benchmarks.subjects import (
    STANDARD_LIBRARY,
    NotInstalled,
    copy_of,
    folder_of,
    installed_folder,
    python_files,
    sample_of,
)


def tree(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_copy_holds_the_python_files_and_nothing_else(tmp_path: Path) -> None:
    source = tree(
        tmp_path / "site-packages" / "flowers",
        {
            "train.py": "a\nb\n",
            "venv/core.py": "c\n",
            "data.bin": "x",
            "site-packages/other/x.py": "",
            "__pycache__/train.py": "",
        },
    )

    subject = copy_of("flowers", source, tmp_path / "copies")

    assert (subject.files, subject.lines) == (2, 3)
    assert {path.name for path in python_files(subject.folder)} == {"train.py", "core.py"}


def test_a_package_is_named_or_lies_where_a_path_says(tmp_path: Path) -> None:
    assert folder_of(f"{tmp_path}/flowers") == tmp_path / "flowers"
    assert folder_of("pytest") == installed_folder("pytest")


def test_a_sample_takes_files_with_the_word_until_it_is_long_enough(tmp_path: Path) -> None:
    files = {f"m{n}.py": "import torch\n" * 10 for n in range(20)}
    source = tree(tmp_path / "flowers", files | {"plain.py": "import os\n" * 500})
    subject = copy_of("flowers", source, tmp_path / "copies")

    sample = sample_of(subject, "torch", 45, 0, tmp_path / "one")
    again = sample_of(subject, "torch", 45, 0, tmp_path / "two")

    assert (sample.files, sample.lines) == (5, 50)
    assert [p.name for p in python_files(sample.folder)] == [
        p.name for p in python_files(again.folder)
    ]


def test_the_standard_library_is_found() -> None:
    assert (installed_folder(STANDARD_LIBRARY) / "dataclasses.py").is_file()


def test_a_package_that_is_not_installed_is_named() -> None:
    with pytest.raises(NotInstalled, match="'no_such_package_here'"):
        installed_folder("no_such_package_here")
