"""Whether the iterations of a loop train a model, or save one: what is loaded next may be
another.
"""

from __future__ import annotations

from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name

TRAINING = frozenset(
    ("fit", "fit_generator", "train_on_batch", "backward", "apply_gradients", "minimize", "train")
)
_SAVING = frozenset(("save", "save_weights", "save_model", "save_pretrained", "ModelCheckpoint"))
CHANGING = TRAINING | _SAVING
_DEEPEST = 3


def changes_models(analysis: Analysis, loop: Frame) -> bool:
    """Whether an iteration of the loop trains a model, or saves one."""
    return not names_called(analysis, loop).isdisjoint(CHANGING)


def names_called(analysis: Analysis, loop: Frame) -> frozenset[str]:
    """The last names of what an iteration of the loop calls, in functions of the project too."""

    def find() -> frozenset[str]:
        found: set[str] = set()
        seen: set[Scope] = set()
        level = list(loops.sites_in(analysis, loop))
        for _ in range(_DEEPEST + 1):
            following: list[CallSite] = []
            for site in level:
                name = last_name(site.node.func) or ""
                if name not in _SAVING or not _saves_array(analysis, site):
                    found.add(name)
                for target in callgraph.targets(analysis, site):
                    if target.function not in seen:
                        seen.add(target.function)
                        analysis.module_of(target.function)
                        following += target.function.calls
            level = following
        return frozenset(found)

    return analysis.remember(("names called", loop.node), find, frozenset())


def _saves_array(analysis: Analysis, site: CallSite) -> bool:
    """Whether it is an array that is saved, and no model."""
    names = callgraph.external_names(callgraph.callee(analysis, site))
    return bool(names) and all(name.startswith("numpy.") for name in names)
