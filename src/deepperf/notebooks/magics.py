"""What IPython adds to Python, replaced by Python of the same length in the same place."""

from __future__ import annotations

import re

from deepperf.semantics.text.layout import LogicalLine, logical_lines
from deepperf.semantics.text.syntax import parse_strictly

_AUTOMAGICS = (
    "alias autoreload bookmark cat cd colab conda cp dhist dirs edit env gui history ldir less ll "
    "load load_ext logstart ls magic mamba man matplotlib micromamba mkdir more mv notebook pip "
    "popd prun psearch pushd pylab recall rehashx reload_ext rerun reset rm rmdir run save sc "
    "set_env store sx system tensorflow_version time timeit unalias unload_ext uv who_ls whos"
)
"""Names that IPython takes for magics without their `%`, its own and the usual ones."""
_AUTOMAGIC = re.compile(rf"(?:{'|'.join(_AUTOMAGICS.split())})[ \t]+(?=[\w.*/~\"'$-])")
_MAY_HOLD_MAGIC = re.compile(
    rf"^[ \t]*(?:[%!?,;/]|{_AUTOMAGIC.pattern})|\?[ \t]*\r?$|=[ \t]*[%!]", re.MULTILINE
)
_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
_PYTHON_CELLS = frozenset(
    ("time", "timeit", "capture", "prun", "memit", "snakeviz", "scalene", "deepperf")
)
_TIMED = re.compile(r"%(?:time|timeit|prun|memit)(?:[ \t]+-\w+(?:[ \t]+\d+)?)*[ \t]+(?=\S)")
_MAGIC_LINE = re.compile(r"[%!?,;/]")
_HELP_LINE = re.compile(r"[\w.%*]+[ \t]*\?{1,2}[ \t]*$")
_ASSIGNED = re.compile(r"[\w.,* \t\[\]()]+=[ \t]*(?=[%!])")
_PHYSICAL_LINE = re.compile(r"(?:[^\r\n\\]|\\(?:\r\n|.)|\\)*", re.DOTALL)
_INSTALLING = re.compile(
    r"^[ \t]*(?:[!%]|(?=(?:pip|conda|mamba|uv)[ \t]))(.*\binstall[ \t].*)", re.MULTILINE
)
_COLAB = re.compile(r"^[ \t]*%tensorflow_version[ \t]+([\d.]+)", re.MULTILINE)
_VISIBLE = re.compile(r"[^\r\n]")


def without_magics(text: str) -> str:
    """A cell's text as Python of the same length; blank for a cell in another language."""
    if not _MAY_HOLD_MAGIC.search(text):
        return text
    start = 0
    if cell_magic := _CELL_MAGIC.match(text):
        if cell_magic[1] not in _PYTHON_CELLS:
            return blank(text)
        start = _line_end(text, cell_magic.start(1))
        text = blank(text[:start]) + text[start:]
        start = _next_line(text, start)
    while (line := _first_magic(text, start)) is not None:
        begin = line.code_start
        end = _line_end(text, begin)
        text = text[:begin] + _neutral(text[begin:end]) + text[end:]
        start = _next_line(text, end)
    return text


def installing(text: str) -> str:
    """The commands of a cell that choose versions of packages, a line each."""
    chosen = (f"pip install tensorflow=={found.strip('.')}.*" for found in _COLAB.findall(text))
    return "\n".join((*_INSTALLING.findall(text), *chosen))


def blank(text: str) -> str:
    """The text with each character but newlines replaced by a blank."""
    return _VISIBLE.sub(" ", text)


def _first_magic(text: str, start: int) -> LogicalLine | None:
    for line in logical_lines(text, start):
        code = text[line.code_start : _line_end(text, line.code_start)]
        if _MAGIC_LINE.match(code) or _HELP_LINE.match(code) or _ASSIGNED.match(code):
            return line
        if _AUTOMAGIC.match(code) and isinstance(parse_strictly(code), SyntaxError):
            return line
    return None


def _neutral(code: str) -> str:
    """A line with magic as a statement that does nothing, or does what the magic times."""
    if timed := _TIMED.match(code):
        statement = "if 1:".ljust(timed.end()) + code[timed.end() :]
        if not isinstance(parse_strictly(statement), Exception):
            return statement
    kept = ""
    if assigned := _ASSIGNED.match(code):
        kept = assigned[0]
    blanks = blank(code[len(kept) :])
    room = len(blanks.partition("\n")[0].partition("\r")[0])
    word = "0" if kept or room < len("pass") else "pass"
    return kept + word + blanks[len(word) :]


def _line_end(text: str, start: int) -> int:
    """The end of the line, lines joined to it by a backslash included."""
    found = _PHYSICAL_LINE.match(text, start)
    return found.end() if found else start


def _next_line(text: str, end: int) -> int:
    return end + (2 if text.startswith("\r\n", end) else 1)
