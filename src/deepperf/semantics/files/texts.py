"""What the texts of files tell of names without being parsed: each question is answered once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct, field

from deepperf.semantics.text import wording
from deepperf.semantics.text.source import Source


class Texts(Struct, frozen=True, eq=False):
    """The texts of a project's files; they err on the side of saying that something may be."""

    sources: Mapping[str, Source]
    _told: dict[tuple[object, str, str], bool] = field(default_factory=dict)
    _given_away: dict[str, frozenset[str]] = field(default_factory=dict)

    def may_call(self, path: str, name: str) -> bool:
        """Whether a file calls something of this name."""
        return self._tell(wording.may_call, path, name)

    def may_hand_over(self, path: str, name: str) -> bool:
        """Whether a file gives a call something of this name."""
        return self._tell(wording.may_hand_over, path, name)

    def may_list(self, path: str, name: str) -> bool:
        """Whether a file has something of this name as an item of a list or dict."""
        return self._tell(wording.may_list, path, name)

    def may_rename(self, path: str, name: str) -> bool:
        """Whether a line of a file assigns something of this name."""
        if path not in self._given_away:
            self._given_away[path] = wording.names_given_away(self.sources[path].text)
        return name in self._given_away[path]

    def _tell(self, tells: Callable[[str, str], bool], path: str, name: str) -> bool:
        key = (tells, path, name)
        if key not in self._told:
            self._told[key] = tells(self.sources[path].text, name)
        return self._told[key]
