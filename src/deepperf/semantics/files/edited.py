"""A project after an edit: what its other files tell by themselves is taken over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol, runtime_checkable

from msgspec import structs

from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source
from deepperf.semantics.text.wording import words_of


@runtime_checkable
class Kept(Protocol):
    """What floors above made of a project, and can make again of what stays."""

    def edited(
        self, project: Project, changed: Collection[str], words: Collection[str]
    ) -> object: ...


def edited(
    project: Project, changed: Mapping[str, Source], sources: Mapping[str, Source]
) -> Project:
    """The project with other texts for some of the files that it has; `sources` are all of them.

    It answers as a new project would. The old one must not be asked any more.
    """
    after = Project(sources, project.versions, project.nearer)
    links = {path: project.imports(path) for path in changed}
    differing = {
        path: words_of(project.sources[path].text) ^ words_of(source.text)
        for path, source in changed.items()
    }
    _take_words(project, after, differing)
    _take_what_files_tell(project, after, changed)
    if all(after.imports(path) == before for path, before in links.items()):
        _take_computed(project, after, "_direct_importers", "_importing")
    if after.knowledge is project.knowledge:
        after._triggers = project._triggers
        after.framework_heads = project.framework_heads
        words = {word.decode("utf-8", "surrogatepass") for word in set().union(*differing.values())}
        for kind, made in project.kept.items():
            if isinstance(made, Kept):
                after.kept[kind] = made.edited(after, changed, words)
    return after


def _take_words(project: Project, after: Project, differing: Mapping[str, set[bytes]]) -> None:
    """In which files words stand: `differing` are those that a file now has, or had before."""
    words = project._words
    if any(differing.values()):
        files = dict(words.files)
        order = {path: number for number, path in enumerate(after.sources)}
        for path, of_file in differing.items():
            for word in of_file:
                there = set(files.get(word, ())) ^ {path}
                if there:
                    files[word] = sorted(there, key=order.__getitem__)
                else:
                    del files[word]
        words = structs.replace(words, files=files, joined=b" ".join((b"", *files, b"")))
    after.__dict__["_words"] = words


def _take_what_files_tell(project: Project, after: Project, changed: Collection[str]) -> None:
    """What was read off each file alone, or off the names of files."""
    _take_computed(project, after, "_heads")
    after._found = project._found
    after._modules, after._inside = project._modules, project._inside
    after._imports, after._defined = project._imports, project._defined
    after._own_properties, after._clues = project._own_properties, project._clues
    for path in changed:
        after._modules.pop(path, None)
        after._inside.pop(path, None)
        after._imports.pop(path, None)
        after._defined.pop(path, None)
        after._own_properties.pop(path, None)
        after._clues.pop(path, None)
    for module in after._modules.values():
        module.getters = None  # which properties there are, other files say
        after._parsed += len(module.source.text)
    told, given_away = project.texts._told, project.texts._given_away
    after.texts._told.update((key, one) for key, one in told.items() if key[1] not in changed)
    after.texts._given_away.update(
        (path, names) for path, names in given_away.items() if path not in changed
    )


def _take_computed(project: Project, after: Project, *names: str) -> None:
    """Properties that were computed already."""
    known = project.__dict__
    after.__dict__.update((name, known[name]) for name in names if name in known)
