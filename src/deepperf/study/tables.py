"""How the problems of the study are spread over symptoms, causes and stages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from deepperf.study.dataset import StudiedProblem
from deepperf.taxonomy.terms import Term, load_codebook

Label = Callable[[StudiedProblem], str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a title; `rows` hold as many cells as there are `columns`."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | int, ...], ...]


def study_tables(problems: Sequence[StudiedProblem]) -> tuple[Table, ...]:
    """The distributions that the paper gives, and the two crosses of labels."""
    book = load_codebook()
    return (
        spread("causes", "Root causes", problems, lambda p: p.cause, book.causes),
        spread("symptoms", "Main symptoms", problems, lambda p: p.symptom, book.symptoms),
        spread("introduced", "Introduced in", problems, lambda p: p.introduced, book.stages),
        spread("exposed", "Exposed in", problems, lambda p: p.exposed, book.stages),
        crossed(
            "stages",
            "Introduced in (rows) and exposed in (columns)",
            problems,
            (lambda p: p.introduced, book.stages),
            (lambda p: p.exposed, book.stages),
        ),
        crossed(
            "causes-and-symptoms",
            "Root causes (rows) and main symptoms (columns)",
            problems,
            (lambda p: p.cause, book.causes),
            (lambda p: p.symptom, book.symptoms),
        ),
    )


def spread(
    name: str,
    title: str,
    problems: Iterable[StudiedProblem],
    label: Label,
    terms: Mapping[str, Term],
) -> Table:
    """How many problems bear each label, the most frequent first, with their shares in percent."""
    counts = Counter(label(problem) for problem in problems)
    total = counts.total()
    order = list(terms)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], order.index(item[0])))
    rows: list[tuple[str | int, ...]] = [
        (terms[term].title, count, f"{100 * count / total:.1f}") for term, count in ranked
    ]
    return Table(name, title, ("label", "problems", "%"), (*rows, ("all", total, "100.0")))


def crossed(
    name: str,
    title: str,
    problems: Iterable[StudiedProblem],
    down: tuple[Label, Mapping[str, Term]],
    across: tuple[Label, Mapping[str, Term]],
) -> Table:
    """How many problems bear each pair of labels; labels that none bears are left out."""
    counts = Counter((down[0](problem), across[0](problem)) for problem in problems)
    rows = [term for term in down[1] if any(first == term for first, _ in counts)]
    columns = [term for term in across[1] if any(second == term for _, second in counts)]
    cells: list[tuple[str | int, ...]] = [
        (
            down[1][row].title,
            *(counts[row, column] for column in columns),
            sum(counts[row, column] for column in columns),
        )
        for row in rows
    ]
    sums = [sum(counts[row, column] for row in rows) for column in columns]
    return Table(
        name,
        title,
        ("", *(across[1][column].title for column in columns), "all"),
        (*cells, ("all", *sums, sum(sums))),
    )
