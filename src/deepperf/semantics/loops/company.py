"""What else the turns of a loop do, beside which a small operation may cost nothing."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, reach
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.values import classes

_WAITING = frozenset(("time.sleep", "matplotlib.pyplot.show", "matplotlib.pyplot.pause"))
_WAITING |= frozenset(("cv2.waitKey",))
_LAST_NAMES = frozenset(name.rpartition(".")[2] for name in _WAITING)
_DRAWING = frozenset(
    ("annotate", "bar", "contour", "hist", "imshow", "plot", "scatter", "set_title")
)
_DRAWING |= frozenset(("add_subplot", "fill_between", "savefig", "subplot", "text", "title"))
_A_PERSON = frozenset((Trait.ASKS_PERSON,))
_LONG = frozenset((Trait.TRAINS, Trait.FITS, Trait.STEPS_TRAINING, Trait.RUNS_SESSION))
_LONG |= frozenset((Trait.PREDICTS, Trait.EVALUATES, Trait.LOADS_MODEL))


def waits(analysis: Analysis, loop: Frame) -> bool:
    """Whether each turn waits for a person, or, in the loop's own function, for time to pass."""
    if reach.reached_sites(analysis, loop, _A_PERSON):
        return True
    return any(
        any(name in _WAITING for name in _names(analysis, site))
        for site in loops.sites_in(analysis, loop)
        if last_name(site.node.func) in _LAST_NAMES
    )


def _names(analysis: Analysis, site: CallSite) -> tuple[str, ...]:
    return callgraph.external_names(callgraph.callee(analysis, site))


def asks_or_trains(analysis: Analysis, loop: Frame) -> bool:
    """Whether a turn runs a model or a session, in functions that it calls too."""
    return bool(reach.reached_sites(analysis, loop, _LONG))


def runs_module(analysis: Analysis, loop: Frame) -> bool:
    """Whether a turn calls an object of a module or layer of the project, in functions too."""
    return any(_runs_module(analysis, site) for site in loops.sites_in(analysis, loop))


def _runs_module(analysis: Analysis, site: CallSite) -> bool:
    for target in callgraph.targets(analysis, site):
        cls = classes.enclosing_class(target.function)
        base = callgraph.CALLED_AS.get(target.function.name, "")
        if cls is not None and base and classes.inherits(analysis, cls, base):
            return True
        if _function_runs_module(analysis, target.function):
            return True
    return False


def _function_runs_module(analysis: Analysis, function: Scope) -> bool:
    def find() -> bool:
        analysis.module_of(function)
        return any(_runs_module(analysis, site) for site in function.calls)

    return analysis.remember(("runs module", function), find, otherwise=False)


def draws_picture(analysis: Analysis, loop: Frame) -> bool:
    """Whether each turn, in the loop's own function, adds something to a picture."""
    text = analysis.project.sources[loop.scope.module_path].text
    return "matplotlib" in text and any(
        last_name(site.node.func) in _DRAWING for site in loops.sites_in(analysis, loop)
    )
