"""Names that tell versions: what the installed packages have, and the form of the tables."""

from __future__ import annotations

import importlib.util

import pytest
from tests.knowledge.conftest import Answer

from deepperf.knowledge.releases import (
    Releases,
    ReleaseTableError,
    known_releases,
    parse_releases,
)
from deepperf.semantics.frameworks.versions import FRAMEWORKS, release_of


def resolved(releases: Releases, answer_of: Answer) -> tuple[str, dict[str, bool]]:
    """The installed version of a framework, and which of the names it has."""
    if importlib.util.find_spec(releases.framework) is None:
        pytest.skip(f"{releases.framework} is not installed")
    names = [*releases.removed, *releases.added, *releases.style]
    done = answer_of("releases_truth.py", releases.framework, *names)
    assert done.returncode == 0, done.stderr[-2000:]
    version, *lines = done.stdout.strip().splitlines()
    return version, {name: last == "1" for name, last in map(str.split, lines)}


@pytest.mark.parametrize("releases", known_releases(), ids=lambda one: one.framework)
def test_installed_versions_have_what_was_added_and_lack_what_was_removed(
    releases: Releases, answer_of: Answer
) -> None:
    version, has = resolved(releases, answer_of)
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
