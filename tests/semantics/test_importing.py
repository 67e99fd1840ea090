"""Importers by bits are those that following the imports file by file finds."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from deepperf.semantics.files.importing import importing

PATHS = [f"m{number}.py" for number in range(7)]
edges = st.sets(st.tuples(st.sampled_from(PATHS), st.sampled_from(PATHS))).map(
    lambda pairs: {(importer, path) for importer, path in pairs if importer != path}
)


def direct_importers(pairs: set[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for importer, path in sorted(pairs):
        found.setdefault(path, set()).add(importer)
    return found


def followed(direct: dict[str, set[str]], path: str) -> set[str]:
    seen: set[str] = set()
    pending = [path]
    while pending:
        new = direct.get(pending.pop(), set()) - seen
        seen |= new
        pending += new
    return seen


@given(edges)
def test_the_importers_of_a_file_are_those_that_lead_to_it(pairs: set[tuple[str, str]]) -> None:
    direct = direct_importers(pairs)
    found = importing(PATHS, direct)
    for path in PATHS:
        expected = followed(direct, path)
        assert found.importers([path]) == expected
        assert found.count(path) == len(expected)
        assert {other for other in PATHS if found.is_importer(other, path)} == expected


@given(edges)
def test_files_are_beside_what_their_importers_import_too(pairs: set[tuple[str, str]]) -> None:
    direct = direct_importers(pairs)
    found = importing(PATHS, direct)
    for path in PATHS:
        importers = followed(direct, path)
        for other in PATHS:
            together = not importers.isdisjoint(direct.get(other, set()))
            assert found.are_beside(path, other) == together


def test_a_long_chain_of_imports_is_followed_to_its_end() -> None:
    paths = [f"m{number}.py" for number in range(5_000)]
    direct = {path: [importer] for importer, path in pairwise(paths)}

    assert importing(paths, direct).count(paths[-1]) == len(paths) - 1
