"""The edit that puts a comment where it silences a rule."""

from __future__ import annotations

import io
import tokenize

from deepperf.check.suppress import LINE_END, Scope, find_markers, statement_lines
from deepperf.records import Edit, Location


def silencing(text: str, location: Location, rule: str) -> Edit | None:
    """The edit that silences a rule for the statement at a location; None where none would.

    A comment that is there is made to name the rule, too; else one is put behind the statement,
    or its head.
    """
    lines = statement_lines(text)(location)
    for marker in find_markers(text):
        if marker.line in lines and marker.scope is Scope.STATEMENT and marker.names:
            behind = marker.names[-1][2]
            return Edit(behind, behind, f", {rule}")
    end = _end_of_code(text, max(lines))
    return None if end is None else Edit(end, end, f"  # deepperf: ignore[{rule}]")


def _end_of_code(text: str, line: int) -> int | None:
    """Where a comment can be put on a line (from 1), or on the first below that takes one."""
    starts = [0, *(match.end() for match in LINE_END.finditer(text))]
    unified = LINE_END.sub("\n", text)
    before: tokenize.TokenInfo | None = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(unified).readline):
            is_end = token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER)
            if is_end and before is not None and before.end[0] >= line:
                return starts[before.end[0] - 1] + before.end[1]
            if not is_end and token.type not in (tokenize.INDENT, tokenize.DEDENT):
                before = token
    except (tokenize.TokenError, SyntaxError):
        pass
    return None
