"""Reads a rule's page and cases: Markdown that is documentation, tests and benchmark at once.

The page is what people read; `cases/*.md` beside it hold further examples in the same form.

A fence's info string says what its code is: `python bad`, `good`, `ok`, `miss` or
`workload`; `path=helper.py` makes it a further file of the example before it. A `bad` fence
opens a group, the next `good` and `workload` of the section complete it, and a group that has
a good side is a pair. A `toml` fence holds options for its section and those below it:
`versions = {tensorflow = "2.4"}`, and `path = "tests/test_model.py"` for the example's own
path. A line ending in `# finding` is one that the rule must find, and `# note` one of which it
speaks in a note only; `# finding: words` asks for these words in the message. The marks are no
part of the code that is checked and measured.
"""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from deepperf.records import Pair, SourceFile

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FRAMEWORK_HEADINGS = {
    "tensorflow": "tensorflow",
    "keras": "keras",
    "pytorch": "torch",
    "torch": "torch",
    "jax": "jax",
    "numpy": "numpy",
    "hugging face": "transformers",
    "transformers": "transformers",
}
REQUIRED_HEADINGS = ("Why it is slow", "Limits", "References")
MARK = re.compile(r"[ \t]*# (?P<kind>finding|note)(?:: *(?P<words>.*?))?[ \t]*$", re.MULTILINE)


class Kind(enum.Enum):
    """What a fence of a page shows."""

    BAD = "bad"
    GOOD = "good"
    OK = "ok"
    MISS = "miss"
    WORKLOAD = "workload"


class PageError(ValueError):
    """A page that cannot be read, in one line that names the place."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A line on which the rule must find something; `words` stand in its message."""

    path: str
    line: int
    words: str
    is_note: bool
    """Whether what is found there hardly matters, so that only `--level note` shows it."""


@dataclass(frozen=True, slots=True)
class Example:
    """One example: its files without marks, the marks, and where it starts in which page."""

    kind: Kind
    files: tuple[SourceFile, ...]
    marks: tuple[Mark, ...]
    page: str
    line: int
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Group:
    """A bad example with the good one and the workload that belong to it, where there are any."""

    id: str
    framework: str
    bad: Example
    good: Example | None = None
    workload: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A rule's page. `headings` are those of the second level, in order."""

    path: str
    name: str
    text: str
    title: str
    summary: str
    headings: tuple[str, ...]
    groups: tuple[Group, ...]
    singles: tuple[Example, ...]

    @property
    def examples(self) -> tuple[Example, ...]:
        """Every example of the page, in its order."""
        grouped = [side for group in self.groups for side in (group.bad, group.good) if side]
        examples = (*grouped, *self.singles)
        return tuple(sorted(examples, key=lambda example: (example.page, example.line)))

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The groups that have a good side. Files only the bad side shows belong to both."""
        return tuple(
            Pair(
                id=group.id,
                framework=group.framework,
                bad=group.bad.files,
                good=_completed(group.good.files, group.bad.files),
                workload=group.workload,
                versions=group.bad.versions,
            )
            for group in self.groups
            if group.good
        )


def read_page(path: Path) -> Page:
    """The page at `path`, with the examples of the cases beside it.

    Raises PageError, and OSError when it cannot be read.
    """
    name = path.parent.name.replace("_", "-")
    page = parse_page(path.read_text(encoding="utf-8"), path.name, name)
    cases = [
        parse_page(case.read_text(encoding="utf-8"), f"cases/{case.name}", f"{name}/{case.stem}")
        for case in sorted(path.parent.glob("cases/*.md"))
    ]
    return replace(
        page,
        groups=(*page.groups, *(group for case in cases for group in case.groups)),
        singles=(*page.singles, *(single for case in cases for single in case.singles)),
    )


def parse_page(text: str, path: str, name: str) -> Page:
    """The page of the rule `name` whose text is `text`; `path` names it in errors.

    Raises PageError.
    """
    tokens = MarkdownIt("commonmark").parse(text)
    groups, singles = _examples(name, tuple(_fences(tokens, path)), path)
    headings = [(token.tag, tokens[index + 1].content) for index, token in _headings(tokens)]
    return Page(
        path=path,
        name=name,
        text=text,
        title=next((heading for tag, heading in headings if tag == "h1"), ""),
        summary=_summary(tokens),
        headings=tuple(heading for tag, heading in headings if tag == "h2"),
        groups=groups,
        singles=singles,
    )


def missing_parts(page: Page) -> tuple[str, ...]:
    """What a finished page would have besides, each in one phrase; empty when complete."""
    missing = []
    if page.title != page.name:
        missing.append(f"the title `# {page.name}`")
    if not page.summary or "\n" in page.summary:
        missing.append("a summary of one line under the title")
    missing += [
        f"the heading `## {name}`" for name in REQUIRED_HEADINGS if name not in page.headings
    ]
    if not page.pairs:
        missing.append("a section named after a framework with a `python bad` and a `python good`")
    missing += [f"a `python workload` for {pair.id}" for pair in page.pairs if not pair.workload]
    missing += [
        f"a line marked `# finding` in {group.id}" for group in page.groups if not group.bad.marks
    ]
    return tuple(missing)


@dataclass(frozen=True, slots=True)
class _Fence:
    kind: Kind
    path: str
    text: str
    line: int
    section: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]
    main_path: str


@dataclass(frozen=True, slots=True)
class _Options:
    versions: tuple[tuple[str, str], ...] = ()
    path: str = "example.py"


def _headings(tokens: list[Token]) -> Iterator[tuple[int, Token]]:
    return ((index, token) for index, token in enumerate(tokens) if token.type == "heading_open")


def _summary(tokens: list[Token]) -> str:
    for index, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag != "h1":
            break
        if token.type == "paragraph_open":
            return tokens[index + 1].content
    return ""


def _fences(tokens: list[Token], path: str) -> Iterator[_Fence]:
    section: tuple[str, ...] = ()
    options = [_Options()]
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            depth = int(token.tag[1]) - 1
            section = (*section[: depth - 1], tokens[index + 1].content) if depth else ()
            outer = options[: max(depth, 1)]
            options = [*outer, outer[-1]]
        if token.type != "fence":
            continue
        line = (token.map or [0])[0] + 1
        language, *words = token.info.split()
        if language == "toml" and not words:
            options[-1] = _read_options(token.content, options[-1], f"{path}:{line}")
        elif language == "python" and words:
            kind, file_path = _read_info(words, f"{path}:{line}")
            yield _Fence(
                kind,
                file_path,
                token.content,
                line,
                section,
                options[-1].versions,
                options[-1].path,
            )


def _read_options(text: str, outer: _Options, place: str) -> _Options:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PageError(f"{place}: these options are not TOML: {error}") from None
    unknown = sorted(table.keys() - {"versions", "path"})
    if unknown:
        raise PageError(f"{place}: unknown option {unknown[0]!r} (there are versions and path)")
    versions = {**dict(outer.versions), **table.get("versions", {})}
    return _Options(tuple(sorted(versions.items())), table.get("path", outer.path))


def _read_info(words: list[str], place: str) -> tuple[Kind, str]:
    try:
        kind = Kind(words[0])
    except ValueError:
        kinds = ", ".join(kind.value for kind in Kind)
        raise PageError(f"{place}: unknown fence `python {words[0]}` (there are {kinds})") from None
    file_path = ""
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key != "path" or not value:
            raise PageError(f"{place}: unknown word {word!r} in the fence (there is path=…)")
        file_path = value
    return kind, file_path


def _examples(
    name: str, fences: tuple[_Fence, ...], path: str
) -> tuple[tuple[Group, ...], tuple[Example, ...]]:
    groups: list[Group] = []
    singles: list[Example] = []
    open_section: tuple[str, ...] | None = None
    taken: dict[str, int] = {}
    for main, more in _with_further_files(fences, path):
        place = f"{path}:{main.line}"
        if main.kind is Kind.BAD:
            base = "/".join([name, *map(_slug, main.section)])
            taken[base] = taken.get(base, 0) + 1
            suffix = f"-{taken[base]}" if taken[base] > 1 else ""
            groups.append(
                Group(base + suffix, _framework(main.section), _example(path, main, more))
            )
            open_section = main.section
        elif main.kind in (Kind.OK, Kind.MISS):
            singles.append(_example(path, main, more))
        elif open_section != main.section:
            raise PageError(f"{place}: this {main.kind.value} has no bad before it in its section")
        elif main.kind is Kind.GOOD:
            if groups[-1].good:
                raise PageError(f"{place}: a second good for one bad")
            groups[-1] = replace(groups[-1], good=_example(path, main, more))
        else:
            if groups[-1].workload:
                raise PageError(f"{place}: a second workload for one bad")
            groups[-1] = replace(groups[-1], workload=main.text)
    return tuple(groups), tuple(singles)


def _with_further_files(
    fences: tuple[_Fence, ...], path: str
) -> Iterator[tuple[_Fence, list[_Fence]]]:
    main: _Fence | None = None
    more: list[_Fence] = []
    for fence in fences:
        if not fence.path:
            if main:
                yield main, more
            main, more = fence, []
        elif main is None or (main.kind, main.section) != (fence.kind, fence.section):
            raise PageError(
                f"{path}:{fence.line}: {fence.path} must follow the example it belongs to"
            )
        else:
            more.append(fence)
    if main:
        yield main, more


def _example(page: str, main: _Fence, more: list[_Fence]) -> Example:
    named = [(main.main_path, main.text), *((fence.path, fence.text) for fence in more)]
    return Example(
        kind=main.kind,
        files=tuple(SourceFile(path, MARK.sub("", text)) for path, text in named),
        marks=tuple(mark for path, text in named for mark in _marks(path, text)),
        page=page,
        line=main.line,
        versions=main.versions,
    )


def _marks(path: str, text: str) -> Iterator[Mark]:
    for number, line in enumerate(text.split("\n"), start=1):
        if match := MARK.search(line):
            yield Mark(path, number, match["words"] or "", match["kind"] == "note")


def _completed(
    files: tuple[SourceFile, ...], other: tuple[SourceFile, ...]
) -> tuple[SourceFile, ...]:
    own = {file.path for file in files}
    return files + tuple(file for file in other if file.path not in own)


def _framework(section: tuple[str, ...]) -> str:
    heading = section[0].lower() if section else ""
    return next((name for key, name in FRAMEWORK_HEADINGS.items() if heading.startswith(key)), "")


def _slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
