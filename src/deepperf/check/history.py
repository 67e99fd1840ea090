"""Files as they were at a revision: read from git's own files, for git's settings name programs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.config.options import WrongUse

if TYPE_CHECKING:
    from dulwich.objects import Commit, ObjectID
    from dulwich.repo import Repo


@dataclass(frozen=True, slots=True)
class Revision:
    """The files below a folder at a revision: names of their contents by path, and their bytes."""

    names: Mapping[str, ObjectID]
    read: Callable[[str], bytes]


@contextmanager
def revision_of(root: Path, revision: str) -> Iterator[Revision]:
    """The files below `root` where this line of work left that of `revision`.

    Raises `WrongUse` where `root` is in no repository, or that holds no such revision.
    """
    from dulwich.errors import NotGitRepository
    from dulwich.repo import Repo

    try:
        found = Repo.discover(root)
    except NotGitRepository:
        raise WrongUse(f"--since {revision}: {root} is in no git repository") from None
    with closing(found) as repo:
        inside = os.path.relpath(os.path.realpath(root), os.path.realpath(repo.path))
        prefix = "" if inside == "." else f"{inside}/".replace(os.sep, "/")
        # Before the first commit, all is new.
        names = _names(repo, _commit(repo, revision), prefix) if _has_commits(repo) else {}
        yield Revision(names, lambda path: repo.object_store[names[path]].as_raw_string())


def _has_commits(repo: Repo) -> bool:
    try:
        repo.head()
    except KeyError:
        return False
    return True


def _commit(repo: Repo, revision: str) -> Commit:
    """The last commit that both this line of work and the revision's have."""
    from dulwich.errors import NotCommitError
    from dulwich.graph import find_merge_base
    from dulwich.objects import Commit
    from dulwich.objectspec import parse_commit, parse_object

    for parse in (parse_commit, parse_object):  # one reads short hashes, the other HEAD~3
        try:
            found = parse(repo, revision)
        except (KeyError, ValueError, NotCommitError):
            continue
        if not isinstance(found, Commit):
            continue
        try:
            bases = find_merge_base(repo, [repo.head(), found.id])
        except KeyError:  # a shallow clone ends before, or nothing was committed yet
            return found
        base = repo.object_store[bases[0]] if bases else found
        return base if isinstance(base, Commit) else found
    raise WrongUse(f"--since {revision}: the repository holds no such revision")


def _names(repo: Repo, commit: Commit, prefix: str) -> dict[str, ObjectID]:
    from dulwich.object_store import iter_tree_contents

    start = os.fsencode(prefix)
    names = {}
    for entry in iter_tree_contents(repo.object_store, commit.tree):
        if entry.path.startswith(start):
            names[os.fsdecode(entry.path[len(start) :])] = entry.sha
    return names
