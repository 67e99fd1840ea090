"""Whether something unknown is a model, by what the file calls of it."""

from __future__ import annotations

from deepperf.knowledge import members
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite
from deepperf.semantics.text.tree import Chain, chain_of
from deepperf.semantics.values.terms import Argument, Instance, Unknown

_OWN_CALLS = frozenset(
    ("eval", "load_state_dict", "named_parameters", "parameters", "state_dict", "zero_grad")
)
"""Methods that models have, and hardly anything else that is called itself."""


def is_called(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call runs a model of which the text tells no more; these leave what they get."""
    chain = chain_of(site.node.func)
    if chain is None:
        return False
    held = callgraph.callee(analysis, site)
    if not all(
        isinstance(term, (Argument, Unknown)) or (isinstance(term, Instance) and not term.type)
        for term in held
    ):
        return False
    if len(chain) > 1 and chain[-1] in members.ASKINGS | members.EMBEDDINGS:
        return True
    return chain in _modelled(analysis, site.scope.module_path)


def _modelled(analysis: Analysis, path: str) -> frozenset[Chain]:
    """The references of which a file calls what only models have."""

    def find() -> frozenset[Chain]:
        functions = (site.node.func for site in analysis.module(path).calls_of(_OWN_CALLS))
        chains = (chain_of(function) for function in functions)
        return frozenset(chain[:-1] for chain in chains if chain is not None and len(chain) > 1)

    return analysis.remember(("modelled", path), find, frozenset())
