"""The form in which a rater labels candidates one by one, in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from rich.console import Console
from rich.markup import escape

from deepperf.study.candidates import Candidate
from deepperf.study.labels import Label
from deepperf.taxonomy.terms import Term, load_codebook

LONGEST_TEXT = 3000
"""Characters of a post that are shown; its address leads to the rest."""

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
    console.print("A performance problem?  [b]y[/]es  [b]n[/]o  [b]s[/]kip  [b]q[/]uit")
    answer = _one_of(ask, console, "ynsq")
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
    console.rule(escape(f"{candidate.key}  {post.created}"))
    console.print(f"[b]{escape(post.title)}[/]")
    console.print(
        escape(f"{candidate.framework or 'framework unknown'}; tags: {', '.join(post.tags)}")
    )
    console.print(escape(f"found by: {', '.join(candidate.keywords)}"), style="dim")
    console.print(escape(post.text[:LONGEST_TEXT].strip()))
    for block in post.code:
        console.print(escape(block[:LONGEST_TEXT]), style="cyan")


def _term(title: str, terms: Mapping[str, Term], console: Console, ask: Ask) -> str:
    choices = [Choice(str(n), term) for n, term in enumerate(terms.values(), start=1)]
    console.print(f"[b]{title}[/] (a number; ?number explains; q stops)")
    for choice in choices:
        console.print(f"{choice.number:>3}  {escape(choice.term.title)}")
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
            console.print(escape(term.definition))
            if term.not_to_confuse:
                console.print(f"[i]Not to be confused:[/] {escape(term.not_to_confuse)}")


def _one_of(ask: Ask, console: Console, letters: str) -> str:
    while True:
        answer = ask("> ").strip().lower()[:1]
        if answer and answer in letters:
            return answer
        console.print(f"one of {', '.join(letters)}")
