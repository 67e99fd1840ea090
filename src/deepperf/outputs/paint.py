"""Makes text fit for a terminal: nothing of the user's acts, and colour only where wanted."""

from __future__ import annotations

import os
import re
from typing import TextIO

from msgspec import Struct

_UNPRINTABLE = (
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_RESET = "\x1b[0m"


class Paint(Struct, frozen=True):
    """The escape sequences for each kind of text, all empty for plain output."""

    place: str = ""
    rule: str = ""
    error: str = ""
    warning: str = ""
    note: str = ""
    caret: str = ""
    faint: str = ""
    added: str = ""
    removed: str = ""

    def __call__(self, sequence: str, text: str) -> str:
        return f"{sequence}{text}{_RESET}" if sequence else text


PLAIN = Paint()
COLOUR = Paint(
    place="\x1b[1m",
    rule="\x1b[1;36m",
    error="\x1b[1;31m",
    warning="\x1b[1;33m",
    note="\x1b[1;34m",
    caret="\x1b[1;31m",
    faint="\x1b[2m",
    added="\x1b[32m",
    removed="\x1b[31m",
)


def paint_for(out: TextIO) -> Paint:
    """Colour on a terminal only, and not where NO_COLOR asks for none."""
    wanted = out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return COLOUR if wanted else PLAIN


def harmless(text: str) -> str:
    """`text` on one line, with characters that steer a terminal or hide text spelled out."""
    if text.isascii() and text.isprintable():
        return text
    return re.sub(_UNPRINTABLE, _spelled, text)


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
