"""Does something right after a module was imported, and measures what importing takes."""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import inspect
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

Work = Callable[[ModuleType], None]
Guard = Callable[[str, Callable[[], None]], None]


class ImportWatch(importlib.abc.MetaPathFinder):
    """A finder that finds nothing itself, but learns of what the others have found.

    It never imports a module. `is_importing` tells whether the main thread is now importing a
    package that is not the user's own, `seconds` how long it did so far, `cpu_seconds` what of the
    processor's time that took.
    """

    def __init__(self, guard: Guard, is_users: Callable[[str], object]) -> None:
        self.is_importing = False
        self.cpu_seconds = 0.0
        self._seconds = 0.0
        self._began = 0.0
        self._guard = guard
        self._is_users = is_users
        self._thread = threading.get_ident()
        self._waiting: dict[str, list[Work]] = {}

    def install(self) -> None:
        """Begin to watch."""
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Watch no more."""
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self)

    @property
    def seconds(self) -> float:
        """How long packages were imported so far."""
        going_on = time.perf_counter() - self._began if self.is_importing else 0.0
        return self._seconds + going_on

    def after(self, name: str, work: Work) -> None:
        """Call `work` with the module `name` once it is imported; now, if it is already."""
        module = sys.modules.get(name)
        if module is not None:
            self._guard(f"after import of {name}", lambda: work(module))
        else:
            self._waiting.setdefault(name, []).append(work)

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec that the other finders give, with a loader that tells us when it is done."""
        # Only the outermost import is timed: those it leads to are part of it.
        is_outermost = not self.is_importing and threading.get_ident() == self._thread
        if not is_outermost and fullname not in self._waiting:
            return None
        spec = self._found(fullname, path, target)
        loader = None if spec is None else spec.loader
        # A loader that is a class is shared by all modules of its kind.
        if spec is None or not hasattr(loader, "exec_module") or inspect.isclass(loader):
            return spec
        is_timed = is_outermost and not self._is_users(spec.origin or "<nowhere>")
        if is_timed or fullname in self._waiting:
            self._wrap(loader, fullname, self._timed if is_timed else _run)
        return spec

    def _found(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> importlib.machinery.ModuleSpec | None:
        for finder in sys.meta_path:
            if finder is not self and hasattr(finder, "find_spec"):
                spec = finder.find_spec(fullname, path, target)
                if spec is not None:
                    return spec
        return None

    def _wrap(self, loader: Any, fullname: str, run: Callable[[Callable[[], None]], None]) -> None:
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            # The loader may be shared, and is to be the user's own again.
            del loader.exec_module
            run(partial(execute, module))
            for work in self._waiting.pop(fullname, ()):
                self._guard(f"after import of {fullname}", partial(work, module))

        loader.exec_module = exec_module

    def _timed(self, execute: Callable[[], None]) -> None:
        self._began = time.perf_counter()
        cpu_before = time.process_time()
        self.is_importing = True
        try:
            execute()
        finally:
            self._seconds = self.seconds
            self.cpu_seconds += time.process_time() - cpu_before
            self.is_importing = False


def _run(execute: Callable[[], None]) -> None:
    execute()
