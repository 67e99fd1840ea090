"""Which files say something about versions, and in what form, by their names alone.

Asked about every file of a project, also where nothing has to be checked again: imports little.
"""

from __future__ import annotations

import enum
import re


class Kind(enum.Enum):
    """The form of a metadata file."""

    PYPROJECT = "pyproject.toml"
    SETUP_CFG = "setup.cfg"
    SETUP_PY = "setup.py"
    PIPFILE = "Pipfile"
    PIPFILE_LOCK = "Pipfile.lock"
    LOCK = "lock file"
    REQUIREMENTS = "requirements"
    ENVIRONMENT = "conda environment"
    DOCKERFILE = "Dockerfile"
    CI = "continuous integration"
    README = "README"


_LOCK_NAMES = ("poetry.lock", "uv.lock", "pdm.lock", "conda-lock.yml", "conda-lock.yaml")
_NAMES = {
    "pyproject.toml": Kind.PYPROJECT,
    "setup.cfg": Kind.SETUP_CFG,
    "setup.py": Kind.SETUP_PY,
    "pipfile": Kind.PIPFILE,
    "pipfile.lock": Kind.PIPFILE_LOCK,
    **dict.fromkeys(_LOCK_NAMES, Kind.LOCK),
    **dict.fromkeys((".travis.yml", ".gitlab-ci.yml", "azure-pipelines.yml"), Kind.CI),
    **dict.fromkeys(("readme", "readme.md", "readme.rst", "readme.txt"), Kind.README),
}
_PATTERNS = (
    (r"[\w.-]*(?:requirements?|constraints?)[\w.-]*\.(?:txt|in|pip)", Kind.REQUIREMENTS),
    (
        r"(?:conda[-_.]?)?(?:env|environment)(?:[-_.][\w.-]*)?\.ya?ml|conda\.ya?ml",
        Kind.ENVIRONMENT,
    ),
    (
        r"(?:docker|container)file(?:[._-].*)?|.*\.(?:docker|container)file",
        Kind.DOCKERFILE,
    ),
    (r"pylock(?:\.[^.]+)?\.toml", Kind.LOCK),
)


def kind_of(path: str) -> Kind | None:
    """The form of the file with this relative path; None where it says nothing of versions."""
    *folders, name = path.lower().replace("\\", "/").split("/")
    exact = _NAMES.get(name)
    if exact is not None:
        return exact
    for pattern, kind in _PATTERNS:
        if re.fullmatch(pattern, name):
            return kind
    if name.endswith((".yml", ".yaml")) and folders[-2:] in (
        [".github", "workflows"],
        [".circleci"],
    ):
        return Kind.CI
    if name.endswith((".txt", ".in")) and folders[-1:] in (["requirements"], ["reqs"]):
        return Kind.REQUIREMENTS
    return None


def is_lock(path: str) -> bool:
    """Whether the file pins what is installed, so that it decides over ranges elsewhere."""
    return kind_of(path) in (Kind.LOCK, Kind.PIPFILE_LOCK)


def is_told_beside(path: str) -> bool:
    """Whether the file only shows what somebody once installed: any other metadata come first."""
    return kind_of(path) in (Kind.CI, Kind.README)
