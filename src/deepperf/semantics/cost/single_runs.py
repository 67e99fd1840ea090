"""What runs once in a run of the program, or once for each object that is made."""

from __future__ import annotations

from deepperf.semantics.calls import callers
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, ScopeKind
from deepperf.semantics.values import classes

_FARTHEST = 3


def runs_once(analysis: Analysis, function: Scope, steps: int = _FARTHEST) -> bool:
    """Whether a function is known to be run once in a run of the program."""
    if function.kind is not ScopeKind.FUNCTION:
        return function.kind is ScopeKind.MODULE

    def find() -> bool:
        found = callers.callers(analysis, function)
        return bool(found) and all(
            not site.loops and runs_once(analysis, site.scope, steps - 1) for site in found
        )

    return steps > 0 and analysis.remember(("runs once", function, steps), find, otherwise=False)


def is_part_of_setup(analysis: Analysis, function: Scope) -> bool:
    """Whether a method makes its object: `__init__`, or what nothing but that one calls, once."""
    cls = classes.enclosing_class(function)
    if cls is None:
        return False
    if function.name == "__init__":
        return True
    found = callers.callers(analysis, function)
    return bool(found) and all(
        site.scope.name == "__init__"
        and not site.loops
        and classes.enclosing_class(site.scope) is cls
        for site in found
    )
