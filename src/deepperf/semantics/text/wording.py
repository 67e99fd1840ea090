"""What a text says, read without parsing it: the lines that import, the names that stand in it."""

from __future__ import annotations

import re
import sys
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


def imported_modules(text: str) -> Iterator[str]:
    """What may be modules among what a text imports, each by its whole name."""
    for match in import_statements(text):
        module, names, plain = match.groups()
        if plain is not None:
            for part in plain.split(","):
                yield part.split(" as ")[0].strip()
            continue
        yield module
        separator = "" if module.endswith(".") else "."
        for part in _listed(match, text, names).split(","):
            if part.strip():
                yield module + separator + part.split(" as ")[0].strip(" \t\n\r()")


def imported_names(text: str) -> Iterator[tuple[str, str, str]]:
    """What a text imports: the module, the name read from it, and the name given to that.

    The second is empty where a module is imported as a whole, the third where none is given.
    """
    for match in import_statements(text):
        module, names, whole = match.groups()
        if whole is not None:
            module, listed = "", whole
        else:
            listed = _listed(match, text, names)
        for part in listed.split(","):
            name, _, alias = part.strip(" \t\r\n()\\;").partition(" as ")
            if name:
                yield (module, name, alias.strip()) if module else (name, "", alias.strip())


def _listed(statement: re.Match[str], text: str, names: str) -> str:
    """The names that a statement imports from a module, to the bracket that ends their list."""
    if "(" not in statement.group(0) or ")" in names:
        return names
    rest = text[statement.end() : statement.end() + _LONGEST_LIST]
    return names + _COMMENT.sub("", rest).partition(")")[0]


_WORD = re.compile(r"\w+")
_NO_WORDS_BLANKED = bytes(
    byte if chr(byte).isalnum() or byte == ord("_") else ord(" ") for byte in range(256)
)
_LONGEST_LIST = 8_000
_COMMENT = re.compile(r"#[^\n]*")


def words_of(text: str) -> set[bytes]:
    """Every identifier, keyword and number of a text, in code, comments and strings, in UTF-8."""
    if text.isascii():
        # Some times faster than a regular expression.
        return set(text.encode().translate(_NO_WORDS_BLANKED).split())
    # Of most texts only a few lines are not ASCII.
    plain: list[str] = []
    found: set[str] = set()
    for line in text.split("\n"):
        if line.isascii():
            plain.append(line)
        else:
            found.update(_WORD.findall(line))
    words = {word.encode("utf-8", "surrogatepass") for word in found}
    return words | words_of("\n".join(plain))


# A pattern for each name asked about would take longer to compile than to search for.
_IS_CALLED = re.compile(r"[\s\\)]*\(")
"""A callee may stand in parentheses, and a line end before its arguments."""
_ENDS_ITEM = re.compile(r"\s*[\](),}]")
_ENDS_ARGUMENT = re.compile(r"\s*[,)]")
_OWNER = re.compile(r"[\w.]*$")
# What begins with letters is found many times faster than a choice between beginnings.
_GIVEN_AWAY = tuple(
    re.compile(rf"{start}[ \t]*(?:\w+\.)*(\w+)[ \t]*(?:$|[#;]|if\b)", re.MULTILINE)
    for start in ("=", r"else(?<!\welse)\b")
)
_ASSIGNED = re.compile(r"(\w+)[ \t]*:?=[ \t]*(?:\w+\.)*$")
_DEFINING = ("def ", "class ")


def may_call(text: str, name: str) -> bool:
    """Whether a name stands somewhere as that of a callee; definitions of it don't count."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        is_called = _IS_CALLED.match(text, end) and _begins_word(text, start)
        if is_called and not text.endswith(_DEFINING, 0, start):
            return True
        start = text.find(name, end)
    return False


def may_hand_over(text: str, name: str) -> bool:
    """Whether a name stands somewhere where an argument of a call ends."""
    start = text.find(name)
    while start >= 0:
        end = start + len(name)
        if _ENDS_ARGUMENT.match(text, end) and _begins_word(text, start):
            return True
        start = text.find(name, end)
    return False


def names_given_away(text: str) -> frozenset[str]:
    """The names with which a value ends that a line assigns, or one of two such values."""
    return frozenset(name for pattern in _GIVEN_AWAY for name in pattern.findall(text))


def _begins_word(text: str, start: int) -> bool:
    before = text[start - 1] if start else " "
    return not (before.isalnum() or before == "_")


def picked_from(text: str, name: str) -> frozenset[str]:
    """The names to which lines assign an item of what has a name: `make = makers[kind]`."""
    found: set[str] = set()
    for picked in (f"{name}[", f"{name}.get("):
        start = text.find(picked)
        while start >= 0:
            line = text.rfind("\n", 0, start) + 1
            # A pattern that looks for all such lines would take a hundred times as long.
            new = _ASSIGNED.search(text[line:start])
            if new is not None:
                found.add(new[1])
            start = text.find(picked, start + len(picked))
    return frozenset(found)


def may_list(text: str, name: str) -> bool:
    """Whether a name stands, alone or after what it belongs to, as an item of a list or dict."""
    start = text.find(name)
    while start >= 0:
        if _ENDS_ITEM.match(text, start + len(name)):
            before = text[max(0, start - 200) : start]
            if before.endswith("."):
                before = _OWNER.sub("", before)
            last = before.rstrip()[-1:]
            if last and last in "[({,:":
                return True
        start = text.find(name, start + len(name))
    return False


def may_multiply(text: str, start: int = 0, end: int = sys.maxsize) -> bool:
    """Whether `a @ b` may stand in a part of a text; decorators, which begin lines, don't count."""
    place = text.find("@", start, end)
    while place >= 0:
        before = text[max(text.rfind("\n", 0, place) + 1, start) : place].rstrip(" \t")
        if before:
            if before[-1] in ")]}_" or before[-1].isalnum():
                return True
        elif text[place + 1 : place + 2] in (" ", "\t"):
            return True
        place = text.find("@", place + 1, end)
    return False
