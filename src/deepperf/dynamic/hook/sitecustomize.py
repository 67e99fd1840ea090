"""Has Python processes that a watched program starts record as well; imported by Python itself."""

import contextlib
import importlib
import os
import sys


def _follow() -> None:
    folder = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("DEEPPERF_RECORD"):
        home = os.path.dirname(os.path.dirname(os.path.dirname(folder)))
        sys.path.append(home)
        try:
            from deepperf.dynamic.children import follow

            follow()
        except Exception as error:  # noqa: BLE001 - it is the program's process
            sys.stderr.write(f"deepperf: a process was not recorded: {error}\n")
        finally:
            sys.path.remove(home)
    # What Python would have imported in its place.
    sys.path[:] = [path for path in sys.path if os.path.abspath(path or os.curdir) != folder]
    own = sys.modules.pop("sitecustomize")
    with contextlib.suppress(ImportError):
        importlib.import_module("sitecustomize")
    # Whoever imports this one looks for it at the end.
    sys.modules.setdefault("sitecustomize", own)


_follow()
