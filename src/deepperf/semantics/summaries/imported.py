"""Whether anything in a project imports a file."""

from __future__ import annotations

from deepperf.records import Role
from deepperf.semantics import bridge
from deepperf.semantics.program.program import Program

_PACKAGE = "__init__.py"


def is_imported(program: Program, path: str) -> bool:
    """Whether another file of the project, other than a test, imports one."""
    parts = path.removesuffix(".py").split("/")
    stem = parts[-2] if path.endswith(_PACKAGE) and len(parts) > 1 else parts[-1]
    for other in program.naming(stem):
        if other == path or bridge.role(program.project, other) is Role.TEST:
            continue
        program.table(other)  # the answer rests on all of it
        if path in bridge.imports(program.project, other):
            return True
    return False
