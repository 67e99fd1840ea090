"""Which versions of each framework a project admits, by its own metadata.

What is asked is always about the newest version that a user who installs the project gets:
advice that this version made pointless is not given. So a range is its upper end.

Where files disagree, the first of these kinds that says something about a framework
decides, and within one kind the newest version that any file admits: lock files, other
metadata, then both kinds again in folders of tests, examples and documentation, which
seldom set what the program itself runs on; last the commands of continuous integration and
of a README. A name without a version says nothing; markers
(`; python_version < "3.8"`) are not judged, all their alternatives count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from deepperf.records import Role
from deepperf.semantics.text.source import role_of

FRAMEWORKS: Mapping[str, str] = {
    "tensorflow": "tensorflow",
    "tensorflow-gpu": "tensorflow",
    "tensorflow-cpu": "tensorflow",
    "tensorflow-cpu-aws": "tensorflow",
    "tensorflow-base": "tensorflow",
    "tensorflow-intel": "tensorflow",
    "tensorflow-macos": "tensorflow",
    "tensorflow-aarch64": "tensorflow",
    "tensorflow-mkl": "tensorflow",
    "tensorflow-rocm": "tensorflow",
    "intel-tensorflow": "tensorflow",
    "tf-nightly": "tensorflow",
    "tf-nightly-gpu": "tensorflow",
    "tf-nightly-cpu": "tensorflow",
    "torch": "torch",
    "pytorch": "torch",
    "pytorch-cpu": "torch",
    "pytorch-gpu": "torch",
    "jax": "jax",
    "jaxlib": "jax",
    "keras": "keras",
    "numpy": "numpy",
    "transformers": "transformers",
}
"""The framework that a distribution (normalized name) brings."""

_RELEASE = re.compile(r"v?(?:\d+!)?(\d+(?:\.\d+)*)")
_ALPHA = re.compile(r"\d[-._]?a(?:lpha)?[-._]?\d*$")
_SCRIPT_BEGINS = "# /// script"
_SCRIPT = re.compile(
    rf"^{_SCRIPT_BEGINS}[ \t]*\r?\n(?P<content>(?:#(?:[ ].*)?\r?\n)*?)# ///[ \t]*\r?$", re.MULTILINE
)
_OVERRIDE = re.compile(r"\s*([A-Za-z][\w.-]*?)\s*([=<>!~^].*|)$", re.DOTALL)

Release = tuple[int, ...]


class VersionRange(Struct, frozen=True):
    """The newest versions that are admitted.

    `newest` is the newest release itself, `below` the first one that is too new, each
    without trailing zeros; where both are None, every future version is admitted. `text`
    and `path` say what was read and where, for messages; an option has no path.
    """

    newest: Release | None = None
    below: Release | None = None
    text: str = ""
    path: str = ""
    is_alpha: bool = False
    """Whether `newest` is an alpha of that release, in which much of it is still missing."""

    def reaches(self, version: str) -> bool:
        """Whether `version`, or a newer one, is admitted. Pre-releases count as the release.

        Raises ValueError if `version` does not begin with a number.
        """
        asked = release_of(version)
        if self.newest is not None:
            return self.newest >= asked
        return self.below is None or self.below > asked

    def newest_is_within(self, since: str, until: str) -> bool:
        """Whether the newest version admitted is one from `since` to `until` (exclusive).

        An empty `until` is never too new, and an alpha of `since` not there yet. Raises
        ValueError for what is no version.
        """
        if self.is_alpha and self.newest == release_of(since):
            return False
        if not self.reaches(since) or not until:
            return self.reaches(since)
        end = release_of(until)
        if self.newest is not None:
            return self.newest < end
        return self.below is not None and self.below <= end

    @property
    def is_open(self) -> bool:
        """Whether no version is too new."""
        return self.newest is None and self.below is None

    def __str__(self) -> str:
        return f"{self.text} ({self.path})" if self.path else self.text


ANY_VERSION = VersionRange()


def release_of(version: str) -> Release:
    """The numbers of a version without trailing zeros; raises ValueError if there are none."""
    found = _RELEASE.match(version.strip())
    if found is None:
        raise ValueError(f"{version!r} is not a version")
    numbers = [int(number[:18]) for number in found[1].split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)


def nearest(
    by_folder: Mapping[str, Mapping[str, VersionRange]], path: str, framework: str
) -> VersionRange | None:
    """What the nearest folder at or above a file says of a framework; None where none does."""
    folder = path
    while by_folder and folder:
        folder = folder.rpartition("/")[0]
        found = by_folder.get(folder)
        if found is not None and framework in found:
            return found[framework]
    return None


def newer(first: VersionRange, second: VersionRange) -> VersionRange:
    """The range that reaches further."""
    return max(first, second, key=_reach)


def older(first: VersionRange, second: VersionRange) -> VersionRange:
    """The range that reaches less far."""
    return min(first, second, key=_reach)


def _reach(versions: VersionRange) -> tuple[bool, Release, bool]:
    end = versions.newest if versions.newest is not None else versions.below
    return end is None, end or (), versions.newest is not None


def range_of(specifiers: str) -> VersionRange:
    """The range of PEP 440 specifiers such as ">=1.15,<2"; unreadable ones bound nothing."""
    found = ANY_VERSION
    for specifier in specifiers.split(","):
        found = older(found, _range_of_one(specifier.strip().strip("()").strip()))
    return replace(found, text=specifiers.strip())


def _range_of_one(specifier: str) -> VersionRange:
    operator = re.match(r"[<>=!~^]*", specifier)
    sign = operator[0] if operator else ""
    version = specifier[len(sign) :].strip()
    try:
        release = release_of(version)
    except ValueError:
        return ANY_VERSION
    if sign in ("==", "===", "="):
        series = series_end(version, None)
        is_series = version.endswith("*") or sign == "="
        if is_series:
            return VersionRange(below=series)
        return VersionRange(newest=release, is_alpha=_ALPHA.search(version) is not None)
    if sign == "<=":
        return VersionRange(newest=release)
    if sign == "<":
        return VersionRange(below=release)
    if sign == "~=":
        return VersionRange(below=series_end(version, -1))
    return ANY_VERSION


def series_end(version: str, length: int | None) -> Release:
    """The first release behind those that share the first `length` numbers of `version`.

    Negative lengths count from the end, None takes all; at least one number is kept.
    """
    found = _RELEASE.match(version.strip())
    numbers = [int(number[:18]) for number in found[1].split(".")] if found else [0]
    kept = numbers[:length] or numbers[:1]
    return (*kept[:-1], kept[-1] + 1)


def framework_of(distribution: str) -> str | None:
    """The framework that a distribution brings, whatever the spelling of its name."""
    return FRAMEWORKS.get(re.sub(r"[-_.]+", "-", distribution).lower())


def parse_override(text: str) -> tuple[str, VersionRange]:
    """The framework and range of an option like `tensorflow=2.4` or `torch>=1.8,<2`.

    One `=` admits the whole series (`tensorflow=2` is any 2.x), `==` one release. Raises
    ValueError, with one line that names the text, if there is no such framework or version, or
    none that is within the range.
    """
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    wrong = f"framework version {text!r}"
    found = _OVERRIDE.match(text)
    if found is None or not found[2]:
        raise ValueError(f"{wrong} is not of the form NAME=VERSION, such as tensorflow=2.4")
    name, specifiers = found[1], found[2].strip()
    framework = framework_of(name)
    if framework is None:
        known = ", ".join(sorted(set(FRAMEWORKS.values())))
        raise ValueError(f"{wrong} names none of {known}")
    is_series = specifiers.startswith("=") and not specifiers.startswith("==")
    try:
        admitted = SpecifierSet(f"=={specifiers[1:].strip()}" if is_series else specifiers)
    except InvalidSpecifier as error:
        raise ValueError(f"{wrong} holds no valid version") from error
    if admitted.is_unsatisfiable():
        raise ValueError(f"{wrong} admits no version at all")
    return framework, replace(range_of(specifiers), text=f"{framework}{specifiers}")


def admitted_versions(metadata: Mapping[str, str]) -> Mapping[str, VersionRange]:
    """The range of each framework that a project's metadata files say something about.

    `metadata` holds texts by path relative to the project's root; files that are no
    metadata, and texts that cannot be read, say nothing. Never raises.
    """
    if not metadata:
        return {}
    from deepperf.semantics.frameworks.kinds import is_lock, is_told_beside
    from deepperf.semantics.frameworks.metadata import mentions

    ranked: dict[str, dict[int, VersionRange]] = {}
    for path in sorted(metadata):
        rank = (0 if role_of(path) is Role.SOURCE else 2) + (0 if is_lock(path) else 1)
        rank += 4 if is_told_beside(path) else 0
        for framework, versions in _informative(mentions(path, metadata[path])):
            ranks = ranked.setdefault(framework, {})
            here = replace(versions, text=f"{framework}{versions.text}", path=path)
            ranks[rank] = newer(ranks[rank], here) if rank in ranks else here
    return {framework: ranks[min(ranks)] for framework, ranks in sorted(ranked.items())}


def own_versions(path: str, text: str, installs: str) -> Mapping[str, VersionRange]:
    """The range of each framework that a file names itself.

    The commands of a notebook that install packages do it, or a script's block of metadata
    (PEP 723), which holds what stands in the table `project` of a pyproject.toml.
    """
    block = _SCRIPT.search(text) if not installs and _SCRIPT_BEGINS in text else None
    if block is not None:
        lines = [line[2:] for line in block["content"].splitlines()]
        found = admitted_versions({"pyproject.toml": "\n".join(("[project]", *lines))})
    else:
        found = admitted_versions({"Dockerfile": installs}) if installs else {}
    return {framework: replace(versions, path=path) for framework, versions in found.items()}


def _informative(
    found: Iterable[tuple[str, VersionRange]],
) -> Iterator[tuple[str, VersionRange]]:
    """Those of known frameworks that say something about the version."""
    for distribution, versions in found:
        framework = framework_of(distribution)
        if framework is not None and (versions.text or not versions.is_open):
            yield framework, versions
