"""Loops beside a scan: a switch decides whether the same steps are scanned or written out."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance.turns import Turn
from deepperf.semantics.names.scopes import Branch, CallSite, Frame, last_name
from deepperf.semantics.text import tree


def stands_beside_scan(analysis: Analysis, turn: Turn) -> bool:
    """Whether the other branch of an `if` around the loop hands what an iteration calls to a scan.

    Who scans some steps has them traced, and the loop is then written out within one program.
    """
    first = turn.places[0]
    if turn.loop is None or turn.loop not in first.frames:
        return False
    called = last_name(first.node.func)
    return any(
        any(called in tree.names_in(part) for part in block)
        and any(_scans_in(analysis, site, block) for site in first.scope.calls)
        for frame in first.frames[: first.frames.index(turn.loop)]
        if (block := _other_branch(frame))
    )


def _other_branch(frame: Frame) -> list[ast.stmt]:
    if not isinstance(frame.node, ast.If):
        return []
    return frame.node.body if frame.branch is Branch.ELSE else frame.node.orelse


def _scans_in(analysis: Analysis, site: CallSite, block: list[ast.stmt]) -> bool:
    first, last = block[0].lineno, block[-1].end_lineno or 0
    return first <= site.node.lineno <= last and has(
        callgraph.fact_at(analysis, site), Trait.COMPILES_UNLESS_TRACED
    )
