"""The Python files of a commit, taken from a clone of a public repository that lies here."""

from __future__ import annotations

import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from deepperf.scan.corpus import CorpusError

_KEPT = (".py", ".ipynb", ".toml", ".cfg", ".yml", ".yaml", ".lock", "Pipfile")
_MOST = 400
"""Paths that one call of git is given at most."""


def clone_of(clones: Path, repository: str) -> Path:
    """The clone of `owner/name`, which is named `owner+name`. Raises `CorpusError`."""
    folder = clones / repository.replace("/", "+")
    for path in (folder, folder / "repo"):
        if (path / ".git").exists() or (path / "HEAD").exists():
            return path
    raise CorpusError(f"{folder}: no clone of https://github.com/{repository}")


@contextmanager
def files_of(clone: Path, commit: str, under: str = "") -> Iterator[Path]:
    """A folder with the commit's programs and metadata, as long as it is needed.

    Raises `CorpusError` where the clone does not have the commit, or not whole.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        listed = _git(clone, "ls-tree", "-r", "-z", "--name-only", commit, "--", under or ".")
        paths = [path for path in listed.decode().split("\0") if _is_kept(path)]
        for start in range(0, len(paths), _MOST):
            archive = _git(clone, "archive", commit, "--", *paths[start : start + _MOST])
            try:
                with tarfile.open(fileobj=BytesIO(archive)) as files:
                    # Early releases of Python 3.10 and 3.11 know no filters: links stay out, too.
                    files.extraction_filter = getattr(tarfile, "data_filter", None)
                    files.extractall(folder, [one for one in files if one.isfile()])
            except tarfile.TarError as error:
                raise CorpusError(f"{clone}: {commit}: {error}") from None
        yield folder


def _is_kept(path: str) -> bool:
    return path.endswith(_KEPT) or path.rpartition("/")[2].startswith("requirements")


def _git(clone: Path, *arguments: str) -> bytes:
    # No path of a repository is a pattern.
    command = ["git", "--literal-pathspecs", "-C", str(clone), *arguments]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode and not done.stdout:
        raise CorpusError(f"{clone}: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout
