"""Tells files that a program wrote: what is changed in them is lost when they are written again."""

from __future__ import annotations

import re

HEAD = 3_000
"""Bytes in which a file says it: licenses may come first."""

_MADE = (
    rb"(?:@|\b|\bauto)generated\b"
    rb"(?=\s*(?:[^\w\s]|\Z|(?:at|automatically|by|code|file|from|in|on|using|via|with)\b))"
)
"""Says it of the file, or of no thing that it names: "generated images" are something else."""
_HANDS_OFF = (
    rb"\b(?:do\W+not|don't|never|not\W+be)\W+(?:\w+\W+)?(?:edit|modif|change|touch)\w*"
    rb"(?=\s*(?:[^\w\s]|\Z|(?:and|any\w*|by|directly|it|manually|or|this|unless)\b))"
)
"""Forbids to edit the file, and not some other thing: "do not change the seed"."""
_SAYS_SO = re.compile(
    rb"@generated\b|"
    + _MADE
    + rb".{0,200}?"
    + _HANDS_OFF
    + rb"|"
    + _HANDS_OFF
    + rb".{0,200}?"
    + _MADE,
    re.IGNORECASE | re.DOTALL,
)
_LINE = re.compile(rb"[ \t\f]*(?:#[^\n]*)?\r?\n")
_DOCSTRING = re.compile(rb"[ruRU]?(\"\"\"|''').*?(?:\1|\Z)", re.DOTALL)


def is_generated(path: str, content: bytes) -> bool:
    """Whether the comments or the docstring at its head forbid people to edit it.

    A program must be named as its author too: "generated … do not edit", or `@generated`.
    """
    return path.endswith(".py") and _SAYS_SO.search(_head(content[:HEAD])) is not None


def _head(content: bytes) -> bytes:
    """What stands before the first statement, a docstring included."""
    end = 3 if content.startswith(b"\xef\xbb\xbf") else 0
    while line := _LINE.match(content, end):
        end = line.end()
    docstring = _DOCSTRING.match(content, end)
    return content[: docstring.end() if docstring else end]
