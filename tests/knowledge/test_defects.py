"""Every known defect is told completely."""

from __future__ import annotations

from collections import Counter

import pytest

from deepperf.knowledge.defects import Defect, DefectTableError, known_defects, parse_defects
from deepperf.knowledge.lookup import known_frameworks
from deepperf.semantics.frameworks.versions import VersionRange, range_of, release_of

DEFECTS = known_defects()


def test_no_defect_is_written_twice() -> None:
    assert Counter(defect.id for defect in DEFECTS).most_common(1)[0][1] == 1


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.id)
def test_a_defect_says_when_by_what_and_how_it_is_known(defect: Defect) -> None:
    assert defect.framework in known_frameworks()
    assert not defect.until or release_of(defect.since) < release_of(defect.until)
    assert all(name.partition(".")[0] in known_frameworks() for name in defect.callables)
    assert defect.sources
    assert all(source.startswith("https://") for source in defect.sources)


def test_a_word_that_no_defect_has_is_an_error() -> None:
    with pytest.raises(DefectTableError, match=r"x.toml: slow: unknown `age`"):
        parse_defects('[[defect]]\nid = "slow"\nage = "2"\n', "x.toml")


@pytest.mark.parametrize(
    ("specifier", "is_affected"),
    [
        ("==2.1.0", True),
        ("==2.0.*", True),
        ("~=2.2.0", True),
        (">=1.15,<2.3", True),
        ("<=2.2.1", True),
        ("==1.15", False),
        ("==2.3.0", False),
        ("~=2.2", False),
        ("<2.4", False),
        ("<2.0", False),
        (">=2.0", False),
    ],
)
def test_the_newest_version_admitted_decides(specifier: str, is_affected: object) -> None:
    assert range_of(specifier).newest_is_within("2.0", "2.3") is is_affected


def test_a_defect_without_an_end_is_in_all_later_versions() -> None:
    assert VersionRange().newest_is_within("2.0", "")
    assert not range_of("<2").newest_is_within("2.0", "")
