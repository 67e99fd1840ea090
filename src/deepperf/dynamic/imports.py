"""Does something right after a module was imported, and never imports one itself."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType

Work = Callable[[ModuleType], None]
Guard = Callable[[str, Callable[[], None]], None]


class ImportWatch(importlib.abc.MetaPathFinder):
    """A finder that finds nothing itself, but learns of what the others have found."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._waiting: dict[str, list[Work]] = {}
        self._busy: set[str] = set()

    def install(self) -> None:
        """Begin to watch."""
        sys.meta_path.insert(0, self)

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
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec that the other finders give, with a loader that tells us when it is done."""
        if fullname not in self._waiting or fullname in self._busy:
            return None
        self._busy.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)
        finally:
            self._busy.discard(fullname)
        if spec is None or spec.loader is None or not hasattr(spec.loader, "exec_module"):
            return spec
        loader = spec.loader
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            # The loader may be shared, and is to be the user's own again.
            del loader.exec_module
            execute(module)
            for work in self._waiting.pop(fullname, ()):
                self._guard(f"after import of {fullname}", partial(work, module))

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
