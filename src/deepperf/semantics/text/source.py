"""Bytes of a file to text that keeps every character's place, and back."""

from __future__ import annotations

import codecs
import re

from msgspec import Struct

from deepperf.records import Failure, Location, Role

LARGEST_BYTES = 16 * 1024 * 1024
"""Larger files are refused: a syntax tree takes some thirty times the size of its text."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with that of UTF-16
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_COOKIE = re.compile(rb"[ \t\f]*#[^\r\n]*?coding[:=][ \t]*([-\w.]+)")
_NO_CODE = re.compile(rb"[ \t\f]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")
_SAMPLE_BYTES = 8192
_TEXT_BYTES = bytes(range(0x20, 0x7F)) + bytes(range(0x80, 0x100)) + b"\t\n\r\f\v\x08\x1a\x1b"
_STRAY_BYTES = 8
_CONTROL_SHARE = 0.05

_TEST_FOLDERS = frozenset(
    ("test", "tests", "testing", "unittest", "unittests", "unit_tests", "integration_tests")
)
_TEST_ENDS = ("_test", "_test_util", "_test_utils", "_test_lib")
_EXAMPLE_FOLDERS = frozenset(
    ("example", "examples", "tutorial", "tutorials", "doc", "docs", "demo", "demos")
) | frozenset(("samples", "cookbook", "quickstart"))
_SEPARATORS = re.compile(r"[/\\]")
_PLURALS = re.compile(r"(docs|demos|examples|tutorials)[-_].*")


class Source(Struct, frozen=True):
    """One file's text, with what is needed to write it back unchanged.

    `text` is the file without its byte order mark, newlines as they are. `newline` is the
    first one in the file ("\\n" if there is none), for lines that a fix adds. `installs` are
    the commands of a notebook that install packages, a line each.
    """

    path: str
    text: str
    role: Role
    encoding: str = "utf-8"
    bom: bytes = b""
    newline: str = "\n"
    installs: str = ""


def read_source(path: str, data: bytes) -> Source | Failure:
    """Decode a Python file.

    The byte order mark decides, then the coding comment of PEP 263, then UTF-8. What fits
    none of them is read as Latin-1, as Python 2 and old editors wrote it: each byte is then
    one character, so that ASCII code keeps its place and the bytes can be restored. A
    Failure is returned for binary data and for files above `LARGEST_BYTES`.
    """
    if len(data) > LARGEST_BYTES:
        size = f"{len(data) / 2**20:.0f} MiB"
        return _failure(path, f"{size} is more than a source file holds")
    decoded = _decode_marked(data)
    if decoded is None:
        sample = data[:_SAMPLE_BYTES]
        control_bytes = len(sample.translate(None, _TEXT_BYTES))
        if control_bytes > _STRAY_BYTES + _CONTROL_SHARE * len(sample):
            return _failure(path, "it holds binary data, not Python source")
        decoded = (*_decode_unmarked(data), b"")
    text, encoding, bom = decoded
    return Source(path, text, role_of(path), encoding, bom, _first_newline(text))


def source_of_text(path: str, text: str) -> Source:
    """A Python file of which only the text is at hand, as an editor has it."""
    return Source(path, text, role_of(path), newline=_first_newline(text))


def write_back(source: Source, new_text: str) -> bytes:
    """The bytes of `source`'s file with `new_text` as its content.

    Raises UnicodeEncodeError if `new_text` has characters that the file's encoding lacks.
    """
    return source.bom + new_text.encode(source.encoding)


def role_of(path: str) -> Role:
    """What a file is for, judged by its path relative to the checked root.

    Folders named for tests or examples decide, and pytest's file names. A file `test.py` is
    source: in deep-learning projects it evaluates the model, beside `train.py`. Benchmarks
    are source too: a slow benchmark measures the wrong thing.
    """
    *folders, name = _SEPARATORS.split(path.lower())
    stem = name.partition(".")[0]
    if (
        not _TEST_FOLDERS.isdisjoint(folders)
        or stem.startswith("test_")
        or stem.endswith(_TEST_ENDS)
        or stem in ("conftest", "tests")
    ):
        return Role.TEST
    # `docs_new` holds documents, and `doc_classifier` may hold a model.
    kinds = {folder for whole in folders for folder in (whole, _PLURALS.sub(r"\1", whole))}
    return Role.SOURCE if _EXAMPLE_FOLDERS.isdisjoint(kinds) else Role.EXAMPLE


def _failure(path: str, message: str) -> Failure:
    return Failure(Location(path, 1, 1, 1, 1), message)


def _decode_marked(data: bytes) -> tuple[str, str, bytes] | None:
    if data[:1] not in b"\xef\xff\xfe\x00":
        return None
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            text = _decode_exactly(data[len(bom) :], encoding)
            if text is not None:
                return text, encoding, bom
    if data.startswith(codecs.BOM_UTF8):
        return data[len(codecs.BOM_UTF8) :].decode("latin-1"), "latin-1", codecs.BOM_UTF8
    return None


def _decode_unmarked(data: bytes) -> tuple[str, str]:
    declared = _declared_encoding(data)
    if declared is not None and declared != "utf-8":
        text = _decode_exactly(data, declared)
        # A codec that garbles the very comment naming it does not keep ASCII in its place.
        if text is not None and "coding" in text[:512]:
            return text, declared
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "latin-1"


def _declared_encoding(data: bytes) -> str | None:
    if data.find(b"coding", 0, 512) < 0:
        return None
    found = _COOKIE.match(data)
    if found is None:
        first = _NO_CODE.match(data)
        found = _COOKIE.match(data, first.end()) if first else None
    if found is None:
        return None
    try:
        return codecs.lookup(found[1].decode("ascii", "replace")).name
    except (LookupError, ValueError):
        return None


def _decode_exactly(data: bytes, encoding: str) -> str | None:
    """The text, or None if it could not be written back as the same bytes."""
    try:
        text = data.decode(encoding)
        return text if text.encode(encoding) == data else None
    except (LookupError, ValueError):  # not a text encoding, or not this one
        return None


def _first_newline(text: str) -> str:
    feed = text.find("\n")
    if feed > 0 and text[feed - 1] == "\r":
        return "\r\n"
    return "\r" if feed < 0 and "\r" in text else "\n"
