"""Names that tell versions: what the installed packages have, and the form of the tables."""

from __future__ import annotations

import subprocess
import sys

import pytest

from deepperf.knowledge.releases import (
    Releases,
    ReleaseTableError,
    known_releases,
    parse_releases,
)
from deepperf.semantics.frameworks.versions import FRAMEWORKS, release_of

_RESOLVE = """
import importlib, os, sys, warnings
os.environ.update(TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
warnings.simplefilter("ignore")

def has(name):
    root, *parts = name.split(".")
    found = importlib.import_module(root)
    for length, part in enumerate(parts, 2):
        try:
            found = getattr(found, part)
        except Exception:
            try:
                found = importlib.import_module(".".join(name.split(".")[:length]))
            except Exception:
                return False
    return True

print(importlib.import_module(sys.argv[1]).__version__)
for name in sys.stdin.read().split():
    print(name, int(has(name)))
"""


def resolved(releases: Releases) -> tuple[str, dict[str, bool]]:
    """The installed version of a framework, and which of the names it has."""
    names = [*releases.removed, *releases.added, *releases.style]
    done = subprocess.run(
        [sys.executable, "-c", _RESOLVE, releases.framework],
        input=" ".join(names),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"{releases.framework} is not installed")
    version, *lines = done.stdout.strip().splitlines()
    return version, {name: last == "1" for name, last in map(str.split, lines)}


@pytest.mark.parametrize("releases", known_releases(), ids=lambda one: one.framework)
def test_installed_versions_have_what_was_added_and_lack_what_was_removed(
    releases: Releases,
) -> None:
    version, has = resolved(releases)
    here = release_of(version)
    wrong = [
        name
        for table, there in ((releases.removed, False), (releases.added, True))
        for name, since in table.items()
        if release_of(since) <= here and has[name] is not there
    ]
    assert wrong == []
    assert all(has[name] for name in releases.style)


@pytest.mark.parametrize("releases", known_releases(), ids=lambda one: one.framework)
def test_each_name_is_of_its_framework_and_tells_one_thing(releases: Releases) -> None:
    names = [*releases.removed, *releases.added, *releases.style]
    assert releases.framework in FRAMEWORKS.values()
    assert all(name.startswith(f"{releases.framework}.") for name in names)
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "text",
    [
        'framework = "torch"\n[[gone]]\n',
        'framework = "torch"\n[[removed]]\nversion = "1"\nnames = "x"\n',
        'framework = "torch"\n[[removed]]\nversion = "1"\nsource = "u"\nname = "x"\n',
        "framework =",
    ],
)
def test_a_wrong_table_is_refused(text: str) -> None:
    with pytest.raises(ReleaseTableError, match=r"torch\.toml"):
        parse_releases(text, "torch.toml")
