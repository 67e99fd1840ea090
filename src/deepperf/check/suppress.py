"""Comments that silence findings: `# deepperf: ignore[rule]` and `# deepperf: ignore-file`."""

from __future__ import annotations

import ast
import enum
import io
import re
import tokenize
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from deepperf.check.select import UNUSED_SUPPRESSION, Selection, meant
from deepperf.records import Edit, Finding, Fix, Level, Location, Role, Safety
from deepperf.spelling import near

MARK = "deepperf:"
DIRECTIVE = re.compile(
    r"#\s*deepperf:\s*(?P<word>[A-Za-z-]*)(?P<list>\s*\[(?P<names>[^\]#]*)\])?[ \t]*"
)
_OTHER_LISTS = ("(", "[", "=", ":")
"""What begins a list of rules in other tools' comments, or one that is not closed."""
LINE_END = re.compile(r"\r\n|\r|\n")


class Scope(enum.Enum):
    STATEMENT = "ignore"
    FILE = "ignore-file"
    NONE = ""


class Marker(Struct, frozen=True):
    """One comment: its line (from 1), the characters it spans, and the rules it names.

    `names` empty means every rule; each name, of a rule, topic or cause, comes with the
    characters it spans.
    """

    line: int
    column: int
    start: int
    end: int
    scope: Scope
    names: tuple[tuple[str, int, int], ...]


class Judged(Struct, frozen=True):
    """Findings that stay and findings that a comment silenced."""

    findings: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]


def suppress(
    text: str,
    path: str,
    findings: Sequence[Finding],
    selection: Selection,
    role: Role = Role.SOURCE,
) -> Judged:
    """Take out what comments in `text` silence; add a note for each comment that does nothing.

    `findings` are those of the file `path`, with lines that count in `text`.
    """
    if MARK not in text:
        return Judged(tuple(findings), ())
    markers = find_markers(text)
    if not markers:
        return Judged(tuple(findings), ())
    used: set[tuple[int, str]] = set()
    kept: list[Finding] = []
    silenced: list[Finding] = []
    lines_of = statement_lines(text)
    for finding in findings:
        lines = lines_of(finding.location)
        hits = [
            (marker.start, name)
            for marker in markers
            for name in _naming(marker, finding.rule, selection)
            if marker.scope is Scope.FILE or marker.line in lines
        ]
        used.update(hits)
        (silenced if hits else kept).append(finding)
    if UNUSED_SUPPRESSION in selection.reported:
        for marker in markers:
            kept.extend(_complaints(text, marker, used, selection, path, role))
    return Judged(tuple(sorted(kept)), tuple(silenced))


def silencer(text: str, selection: Selection) -> Callable[[int, str], bool]:
    """Tells whether a comment in `text` silences a line (from 1) for a rule of that name."""
    markers = find_markers(text) if MARK in text else ()
    lines_of = statement_lines(text) if markers else _only

    def is_silenced(line: int, rule: str) -> bool:
        lines = lines_of(Location("", line, 1, line, 1))
        return any(
            True
            for marker in markers
            if marker.scope is Scope.FILE or marker.line in lines
            for _ in _naming(marker, rule, selection)
        )

    return is_silenced


def _only(location: Location) -> frozenset[int]:
    return frozenset({location.line})


def find_markers(text: str) -> tuple[Marker, ...]:
    """The comments of `text` that speak to us, in order. Never raises."""
    starts = [0, *(match.end() for match in LINE_END.finditer(text))]
    found = []
    for line, column, comment in _comments(text):
        for match in DIRECTIVE.finditer(comment):
            begin = starts[line - 1] + column
            names = []
            for name in re.finditer(r"[^\s,]+", match["names"] or ""):
                offset = begin + match.start("names")
                names.append((name[0], offset + name.start(), offset + name.end()))
            scope = next((s for s in Scope if s.value == match["word"].lower()), Scope.NONE)
            rest = comment[match.end() :]
            is_misspelt = match["list"] is None and rest[:1] in _OTHER_LISTS
            told = match.end() + (len(rest.partition("#")[0].rstrip()) if is_misspelt else 0)
            if is_misspelt or (match["list"] is not None and not names):
                scope = Scope.NONE
            found.append(
                Marker(
                    line,
                    column + match.start() + 1,
                    begin + match.start(),
                    begin + told,
                    scope,
                    tuple(names),
                )
            )
    return tuple(found)


def _comments(text: str) -> Iterator[tuple[int, int, str]]:
    """Line (from 1), column (from 0) and text of each comment; guessed where Python fails."""
    unified = LINE_END.sub("\n", text)
    last = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(unified).readline):
            last = max(last, token.end[0])
            if token.type == tokenize.COMMENT and MARK in token.string:
                yield token.start[0], token.start[1], token.string
    except (tokenize.TokenError, SyntaxError):
        for number, line in enumerate(unified.split("\n"), 1):
            if number > last and (match := DIRECTIVE.search(line)):
                yield number, match.start(), line[match.start() :]


def statement_lines(text: str) -> Callable[[Location], frozenset[int]]:
    """For a finding's location, the lines on which a comment counts."""
    spans = sorted(_spans(text), key=lambda span: span[1] - span[0])

    def lines_of(location: Location) -> frozenset[int]:
        line = location.line
        first, last = next((s for s in spans if s[0] <= line <= s[1]), (line, line))
        return frozenset(range(first, last + 1))

    return lines_of


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """First and last line of each statement; of a compound one, of its head."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None) or getattr(node, "cases", None)
            last = node.end_lineno or node.lineno
            if body:
                inner = getattr(body[0], "pattern", body[0])
                last = max(node.lineno, inner.lineno - 1)
            yield node.lineno, last


def _naming(marker: Marker, rule: str, selection: Selection) -> Iterator[str]:
    """The words of `marker` that silence `rule`; "" for one that silences all."""
    if marker.scope is Scope.NONE:
        return
    if not marker.names:
        yield ""
    for name, _, _ in marker.names:
        if rule in meant(name, selection.groups):
            yield name


def _complaints(
    text: str,
    marker: Marker,
    used: set[tuple[int, str]],
    selection: Selection,
    path: str,
    role: Role,
) -> Iterable[Finding]:
    def note(message: str, remedy: str, fix: Fix | None) -> Finding:
        end_column = marker.column + len(text[marker.start : marker.end].rstrip())
        return Finding(
            location=Location(path, marker.line, marker.column, marker.line, end_column),
            rule=UNUSED_SUPPRESSION,
            message=message,
            remedy=remedy,
            level=Level.NOTE,
            role=role,
            source_line=_line_around(text, marker.start),
            fix=fix,
        )

    if marker.scope is Scope.NONE:
        words = text[marker.start : marker.end].strip()
        yield note(
            f"the comment '{words}' is not understood",
            "write '# deepperf: ignore[rule]' or '# deepperf: ignore-file[rule]'",
            None,
        )
        return
    if not marker.names:
        if not selection.narrowed and (marker.start, "") not in used:
            yield note(
                f"'{marker.scope.value}' silences nothing here",
                "remove the comment",
                Fix("Remove the comment", (_removal(text, marker),), Safety.SAFE),
            )
        return
    idle = []
    for entry in marker.names:
        name = entry[0]
        rules = meant(name, selection.groups)
        if not rules:
            unknown = f"no rule, topic or cause is called '{name}'"
            idle.append((entry, unknown + near(name, selection.groups)))
        elif rules & selection.reported and (marker.start, name) not in used:
            idle.append((entry, f"'{name}' finds nothing to silence here"))
    whole = len(idle) == len(marker.names)
    for entry, message in idle:
        edit = _removal(text, marker) if whole else _name_removal(marker, entry)
        title = "Remove the comment" if whole else f"Remove '{entry[0]}' from the comment"
        yield note(message, title.lower(), Fix(title, (edit,), Safety.SAFE))


def _line_around(text: str, offset: int) -> str:
    begin = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    match = LINE_END.search(text, offset)
    return text[begin : match.start() if match else len(text)]


def _removal(text: str, marker: Marker) -> Edit:
    """Cut the comment with the blanks before it, and the line too if nothing else is on it."""
    start, end = marker.start, marker.end
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    match = LINE_END.match(text, end)
    ends_line = match is not None or end == len(text)
    if start == 0 or text[start - 1] in "\r\n":
        return (
            Edit(start, match.end() if match else end, "")
            if ends_line
            else Edit(marker.start, end, "")
        )
    rest = text[end : end + 1]
    return Edit(start, end, "" if ends_line else "  " if rest == "#" else "  # ")


def _name_removal(marker: Marker, entry: tuple[str, int, int]) -> Edit:
    """Cut one name out of several, with the comma that joins it to its neighbour."""
    index = marker.names.index(entry)
    if index + 1 < len(marker.names):
        return Edit(entry[1], marker.names[index + 1][1], "")
    return Edit(marker.names[index - 1][2], entry[2], "")
