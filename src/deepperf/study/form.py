"""The form in which a rater labels candidates one by one, in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from deepperf.study.candidates import Candidate
from deepperf.study.labels import Label
from deepperf.taxonomy.terms import Term, load_codebook

LONGEST_TEXT = 3000
"""Characters of a post that are shown; its address leads to the rest."""

CHOICES = ("yes", "no", "skip", "quit")
"""What may be answered, by the first letter."""

Ask = Callable[[str], str]


class Quit(Exception):
    """The rater has had enough."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A term with what it is chosen by."""

    number: str
    term: Term


def label_all(
    candidates: Iterable[Candidate],
    rater: str,
    done: frozenset[str],
    keep: Callable[[Label], None],
    console: Console,
    ask: Ask,
) -> int:
    """Ask about each candidate that is not in `done`; each label is kept at once. How many."""
    number = 0
    try:
        for candidate in candidates:
            if candidate.key in done:
                continue
            label = ask_label(candidate, rater, console, ask)
            if label is not None:
                keep(label)
                number += 1
    except (Quit, EOFError, KeyboardInterrupt):
        console.print("Stopped; what was labelled is kept.")
    return number


def ask_label(candidate: Candidate, rater: str, console: Console, ask: Ask) -> Label | None:
    """The rater's label, None if the candidate is left for later. Raises `Quit`."""
    _show(candidate, console)
    offered = "".join(f"  ({word[0]}){word[1:]}" for word in CHOICES)
    console.print(Text(f"A performance problem?{offered}"))
    answer = _one_of(ask, console, "".join(word[0] for word in CHOICES))
    if answer == "q":
        raise Quit
    if answer == "s":
        return None
    if answer == "n":
        return Label(candidate.key, rater, is_problem=False)
    book = load_codebook()
    terms = [
        _term(title, terms, console, ask)
        for title, terms in (
            ("Main symptom", book.symptoms),
            ("Root cause", book.causes),
            ("Introduced in", book.stages),
            ("Exposed in", book.stages),
        )
    ]
    remark = ask("Remark (may be empty)> ").strip()
    symptom, cause, introduced, exposed = terms
    return Label(
        candidate.key,
        rater,
        is_problem=True,
        symptom=symptom,
        cause=cause,
        introduced=introduced,
        exposed=exposed,
        remark=remark,
    )


def _show(candidate: Candidate, console: Console) -> None:
    post = candidate.post
    console.rule(Text(f"{candidate.key}  {post.created}"))
    console.print(Text(post.title, "bold"))
    console.print(
        Text(f"{candidate.framework or 'framework unknown'}; tags: {', '.join(post.tags)}")
    )
    console.print(Text(f"found by: {', '.join(candidate.keywords)}", "dim"))
    console.print(Text(post.text[:LONGEST_TEXT].strip()))
    for block in post.code:
        console.print(Text(block[:LONGEST_TEXT], "cyan"))


def _term(title: str, terms: Mapping[str, Term], console: Console, ask: Ask) -> str:
    choices = [Choice(str(n), term) for n, term in enumerate(terms.values(), start=1)]
    console.print(Text.assemble((title, "bold"), " (a number; ?number explains; q stops)"))
    for choice in choices:
        console.print(Text(f"{choice.number:>3}  {choice.term.title}"))
    by_number = {choice.number: choice.term for choice in choices}
    while True:
        answer = ask(f"{title}> ").strip().lower()
        if answer == "q":
            raise Quit
        if answer in by_number:
            return by_number[answer].id
        term = by_number.get(answer.removeprefix("?").strip())
        if term is None:
            console.print(f"a number from 1 to {len(choices)}")
        else:
            console.print(Text(term.definition))
            if term.not_to_confuse:
                console.print(
                    Text.assemble(("Not to be confused: ", "italic"), term.not_to_confuse)
                )


def _one_of(ask: Ask, console: Console, letters: str) -> str:
    while True:
        answer = ask("> ").strip().lower()[:1]
        if answer and answer in letters:
            return answer
        console.print(f"one of {', '.join(letters)}")
