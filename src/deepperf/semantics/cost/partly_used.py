"""What a turn computes of a whole array of which it takes a part: over all turns, quadratic."""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import regions
from deepperf.semantics.loops.regions import Region
from deepperf.semantics.names.scopes import CallSite, Frame, parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes


def is_of_whole(analysis: Analysis, loop: Frame, site: CallSite) -> bool:
    """Whether the loop takes, by what its turns differ in, parts of the array that a call sums up.

    The turn then works on a batch, and the call on all batches.
    """
    whole = _summed_up(site)
    if not whole or not _is_named_alike(site, loop, whole):
        return False
    region = _region(analysis, loop)
    own = set(region.bound)
    if region.loop is None:
        own |= {argument.arg for argument in parameters(loop.scope.node)}  # type: ignore[arg-type]
    return any(
        isinstance(part, ast.Subscript)
        and isinstance(part.ctx, ast.Load)
        and tree.dotted(part.value) == whole
        and not own.isdisjoint(tree.names_in(part.slice))
        for part in tree.walk(loop.node)
    )


def _is_named_alike(site: CallSite, loop: Frame, name: str) -> bool:
    """Whether a name means the same where the call stands and in the loop: `self.rows`."""
    if site.scope is loop.scope:
        return True
    cls = classes.enclosing_class(site.scope)
    own = classes.receiver_name(site.scope)
    is_of_object = own is not None and name.startswith(f"{own}.")
    return cls is not None and is_of_object and cls is classes.enclosing_class(loop.scope)


def _region(analysis: Analysis, loop: Frame) -> Region:
    if loop.node is loop.scope.node:
        return regions.region_of_function(analysis, loop.scope)
    return regions.region_of_loop(analysis, loop)


def _summed_up(site: CallSite) -> str:
    """The array that a function is given first, or of which a method is called."""
    function = site.node.func
    if site.node.args and not isinstance(site.node.args[0], ast.Constant):
        return tree.dotted(site.node.args[0])
    return tree.dotted(function.value) if isinstance(function, ast.Attribute) else ""
