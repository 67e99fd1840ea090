"""What a text says, read without parsing it: the lines that import, the names that stand in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+\(?([^\n#]*)|import[ \t]+([^\n#]+))",
    re.MULTILINE,
)


def import_statements(text: str) -> Iterator[re.Match[str]]:
    """The lines of a text that import; searching for the word first is far faster."""
    position = text.find("import")
    while position >= 0:
        match = _IMPORT.match(text, text.rfind("\n", 0, position) + 1)
        if match is None:
            position = text.find("import", position + 6)
            continue
        yield match
        following = text.find("\n", match.end())
        position = text.find("import", following) if following >= 0 else -1


def has_word(text: str, word: str) -> bool:
    """Whether an identifier stands somewhere in a text, not as a part of a longer one."""
    start = text.find(word)
    while start >= 0:
        end = start + len(word)
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return True
        start = text.find(word, end)
    return False
