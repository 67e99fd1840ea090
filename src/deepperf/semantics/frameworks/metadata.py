"""What a project's metadata files say about distributions and their versions.

Each reader takes the text of one kind of file and gives (distribution, range) pairs, with
the range's `text` as written. A reader looks only for what it needs, never runs anything,
and gives nothing for what it cannot read.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from configparser import ConfigParser
from configparser import Error as ConfigError

from msgspec.structs import replace

from deepperf.semantics.frameworks.kinds import Kind, kind_of
from deepperf.semantics.frameworks.versions import (
    ANY_VERSION,
    FRAMEWORKS,
    VersionRange,
    framework_of,
    newer,
    older,
    range_of,
    release_of,
    series_end,
)
from deepperf.semantics.text import tree
from deepperf.semantics.text.syntax import parse

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Mention = tuple[str, VersionRange]

_NAMES = "|".join(sorted((re.escape(name) for name in FRAMEWORKS), key=len, reverse=True))
_REQUIREMENT = re.compile(
    r"\s*([A-Za-z][\w.-]*)\s*(?:\[[^\]]*\])?\s*(\(?[<>=!~][^;#@]*|)\s*(?:[;#].*|@.*|)$", re.DOTALL
)
_WHEEL = re.compile(rf"\b({_NAMES.replace('-', '[-_]')})-(\d+(?:\.\d+)*)[^/\s]*?\.(?:whl|tar\.gz)")
_LOCKED = re.compile(
    r"""^[ ]*(?:-[ ]*)?name[ ]*[=:][ ]*["']?([\w.-]+)["']?[ ]*\r?\n"""
    r"""[ ]*version[ ]*[=:][ ]*["']?([\w.+!-]+)["']?[ ]*\r?$""",
    re.MULTILINE,
)
_CONDA = re.compile(
    r"""^[ \t]*-[ \t]*["']?(?:[\w./-]+::?)?([A-Za-z][\w.-]*)(?:\[[^\]]*\])?[ \t]*"""
    r"""([<>=!~ ][^"'\#\r\n]*|)["']?[ \t]*(?:\#.*)?\r?$""",
    re.MULTILINE,
)
_IMAGE = re.compile(
    r"^[ \t]*(?:FROM[ \t]+(?:--\S+[ \t]+)?|(?:-[ \t]+)?(?:image|container):[ \t]*[\"']?)"
    r"\S*?\b(tensorflow|pytorch)(?:/\w+)?:v?(\d\.\d+(?:\.\d+)?)\b",
    re.MULTILINE | re.IGNORECASE,
)
_INSTALL = re.compile(
    r"\b(?:pip[\d.]*|uv|conda|mamba)[ \t](?:[^\r\n&|;]*[ \t])?install[ \t]([^\r\n&|;]*)"
)
_PINNED = re.compile(rf"\b({_NAMES})[ \t]*(==|~=|<=?)[ \t]*(\d+(?:\.\d+)+)", re.IGNORECASE)
_TOLD = re.compile(
    rf"\b({_NAMES})[ \t]+(?:version[ \t]+|v)?(\d+(?:\.\d+)+)(?![.\d]|\+|[ \t]*(?:or|and|to|-|–)\b)",
    re.IGNORECASE,
)
_LINE_JOIN = re.compile(r"\\\r?\n")


def mentions(path: str, text: str) -> tuple[Mention, ...]:
    """The distributions that the text of the file `path` mentions. Never raises."""
    kind = kind_of(path)
    if kind is None:
        return ()
    try:
        return tuple(_READERS[kind](text))
    except (ValueError, ConfigError, RecursionError):
        return ()


_Reader = Callable[[str], Iterable[Mention]]


def _requirement(text: str) -> Iterator[Mention]:
    """One PEP 508 requirement, or the URL of a file to install."""
    if found := _WHEEL.search(text):
        yield found[1], replace(range_of(f"=={found[2]}"), text=f"=={found[2]}")
    elif found := _REQUIREMENT.match(text):
        yield found[1], range_of(found[2])


def _requirements(text: str) -> Iterator[Mention]:
    for line in _LINE_JOIN.sub(" ", text).splitlines():
        stripped = line.strip().partition(" --")[0]
        if stripped and not stripped.startswith(("#", "-")):
            yield from _requirement(stripped.partition(" #")[0])


def _each_requirement(values: object) -> Iterator[Mention]:
    if isinstance(values, list):
        for value in values:
            if isinstance(value, str):
                yield from _requirement(value)


def _pyproject(text: str) -> Iterator[Mention]:
    data = tomllib.loads(text)
    project, tool = _table(data, "project"), _table(data, "tool")
    yield from _each_requirement(project.get("dependencies"))
    groups = (
        _table(project, "optional-dependencies"),
        _table(data, "dependency-groups"),
        _table(tool, "pdm", "dev-dependencies"),
        _table(tool, "uv"),
    )
    for group in groups:
        for values in group.values():
            yield from _each_requirement(values)
    for environment in _tables(_table(tool, "hatch", "envs")):
        yield from _each_requirement(environment.get("dependencies"))
    poetry = _table(tool, "poetry")
    tables = [_table(poetry, "dependencies"), _table(poetry, "dev-dependencies")]
    tables += [_table(group, "dependencies") for group in _tables(_table(poetry, "group"))]
    tables += [_table(tool, "pixi", "dependencies"), _table(tool, "pixi", "pypi-dependencies")]
    for table in tables:
        yield from _version_table(table, poetry_range)


def _table(data: Mapping[str, object], *keys: str) -> Mapping[str, object]:
    """The table below `keys`, empty where there is none."""
    here: object = data
    for key in keys:
        here = here.get(key) if isinstance(here, Mapping) else None
    return here if isinstance(here, Mapping) else {}


def _tables(data: Mapping[str, object]) -> list[Mapping[str, object]]:
    return [value for value in data.values() if isinstance(value, Mapping)]


def _version_table(
    table: Mapping[str, object], read: Callable[[str], VersionRange]
) -> Iterator[Mention]:
    for name, value in table.items():
        for entry in value if isinstance(value, list) else [value]:
            version = entry.get("version") if isinstance(entry, Mapping) else entry
            if isinstance(version, str):
                yield name, read(version)


def poetry_range(text: str) -> VersionRange:
    """The range of a constraint in Poetry's language: ^1.2, ~1.2, 1.*, ">=1,<2 || 3.0"."""
    found: VersionRange | None = None
    for alternative in text.split("||"):
        one = ANY_VERSION
        for part in re.split(r",|(?<=[\w*])\s+(?=[<>=!~^])", alternative):
            one = older(one, _poetry_part(part.strip()))
        found = newer(found, one) if found else one
    bare = text.strip() in ("", "*")
    return replace(found or ANY_VERSION, text="" if bare else _spelled(text.strip()))


def _poetry_part(part: str) -> VersionRange:
    version = part.lstrip("^~= ")
    try:
        release = release_of(version)
    except ValueError:
        return range_of(part)
    if part.startswith("^"):
        numbers = re.sub(r"[^\d.].*", "", version).strip(".").split(".")
        leading = next((i for i, number in enumerate(numbers) if int(number)), len(numbers) - 1)
        return VersionRange(below=series_end(version, leading + 1))
    if part.startswith("~") and not part.startswith("~="):
        return VersionRange(below=series_end(version, 2))
    if part[0].isdigit():
        if version.endswith("*"):
            return VersionRange(below=series_end(version, None))
        return VersionRange(newest=release)
    return range_of(part)


def _spelled(constraint: str) -> str:
    return constraint if constraint[:1] in "<>=!~^" else f"=={constraint}"


def _setup_cfg(text: str) -> Iterator[Mention]:
    parser = ConfigParser(interpolation=None, strict=False, empty_lines_in_values=False)
    parser.read_string(text)
    for section in ("options", "options.extras_require"):
        if parser.has_section(section):
            for key, value in parser.items(section):
                if section != "options" or key.endswith("_require") or key == "install_requires":
                    yield from _requirements(value)


def _setup_py(text: str) -> Iterator[Mention]:
    """Strings that are requirements of a framework wherever they stand, else what comments say."""
    found = tuple(_in_strings(text))
    if any(versions.text for _, versions in found):
        yield from found
        return
    for line in text.splitlines():
        comment = line.partition("#")[2] if len(line) < 2000 else ""
        yield from _pinned(comment)
        for name, version in _TOLD.findall(comment):
            yield name, range_of(f"=={version}")


def _pinned(text: str) -> Iterator[Mention]:
    """What a text pins in the words of requirements, whatever stands around them."""
    for name, sign, version in _PINNED.findall(text):
        yield name, range_of(f"{sign}{version}")


def _in_strings(text: str) -> Iterator[Mention]:
    for node in tree.walk(parse(text).tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for name, versions in _requirements(node.value) if len(node.value) < 2000 else ():
                if framework_of(name):
                    yield name, versions


def _pipfile(text: str) -> Iterator[Mention]:
    data = tomllib.loads(text)
    for section in ("packages", "dev-packages"):
        yield from _version_table(_table(data, section), poetry_range)


def _pipfile_lock(text: str) -> Iterator[Mention]:
    data = json.loads(text)
    for section in ("default", "develop"):
        yield from _version_table(_table(data, section), range_of)


def _locked(text: str) -> Iterator[Mention]:
    """Lock files put a package's version under its name; TOML is too slow for large ones."""
    for name, version in _LOCKED.findall(text):
        yield name, range_of(f"=={version}")


def _environment(text: str) -> Iterator[Mention]:
    for name, constraint in _CONDA.findall(text):
        yield name, conda_range(constraint)


def conda_range(text: str) -> VersionRange:
    """The range of a conda constraint: "=2.4" and " 2.4.*" are series, "|" alternatives."""
    constraint = text.strip()
    if not constraint or constraint == "*":
        return ANY_VERSION
    found: VersionRange | None = None
    for alternative in constraint.split("|"):
        version = alternative.strip()
        if not version.startswith(("==", "<", ">", "!", "~")):
            is_series = version.startswith("=") or version.endswith("*")
            version = version.lstrip("= ").split("=")[0].split(" ")[0]
            version = f"={version}" if is_series else f"=={version}"
        one = range_of(version)
        found = newer(found, one) if found else one
    return replace(found or ANY_VERSION, text=_spelled(constraint))


def _dockerfile(text: str) -> Iterator[Mention]:
    joined = _LINE_JOIN.sub(" ", text)
    for name, version in _IMAGE.findall(joined):
        yield name, range_of(f"=={version}")
    for words in _INSTALL.findall(joined):
        for word in words.split():
            if not word.startswith("-"):
                yield from _requirement(re.sub(r"(?<![=<>!~])=(?!=)", "==", word.strip("\"'")))


_READERS: Mapping[Kind, _Reader] = {
    Kind.PYPROJECT: _pyproject,
    Kind.SETUP_CFG: _setup_cfg,
    Kind.SETUP_PY: _setup_py,
    Kind.PIPFILE: _pipfile,
    Kind.PIPFILE_LOCK: _pipfile_lock,
    Kind.LOCK: _locked,
    Kind.REQUIREMENTS: _requirements,
    Kind.ENVIRONMENT: _environment,
    Kind.DOCKERFILE: _dockerfile,
    Kind.CI: _dockerfile,
    Kind.README: _pinned,
}
