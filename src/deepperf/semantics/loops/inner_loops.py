"""Loops within a turn that go over things which the turn has in common with others.

Whoever goes through a data set again in each epoch does that on purpose; whoever goes through a
list of names, kernels or prompts for each batch does the same for each batch.
"""

from __future__ import annotations

import ast

from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import data_words, loops, pace
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.loops.pace import Pace
from deepperf.semantics.names.scopes import COMPREHENSIONS, Frame


def goes_over_things(analysis: Analysis, loop: Frame) -> bool:
    """Whether a loop goes over a list of things, and not over data, numbers or steps."""
    if not isinstance(loop.node, (ast.For, *COMPREHENSIONS)):
        return False
    if len(getattr(loop.node, "generators", ())) > 1:
        return False
    if loops.over(analysis, loop) not in (LoopOver.ITEMS, LoopOver.PARTS):
        return False
    iterable = loops.iterable_of(loop)
    if iterable is None or data_words.name_data(loops.targets(loop), iterable):
        return False
    return not pace.goes_through_steps(analysis, loop)


def turns_for_steps(analysis: Analysis, loop: Frame) -> bool:
    """Whether the turns of a loop are steps, and not passes over all there is."""
    over = loops.over(analysis, loop)
    return over is not LoopOver.EPOCHS and pace.pace(analysis, loop) is not Pace.SELDOM
