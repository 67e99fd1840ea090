"""Which functions are work that a thread, a process or a pool is given."""

from __future__ import annotations

from deepperf.knowledge.members import POOL_METHODS
from deepperf.semantics.callgraph.callees import Edge, EdgeKind
from deepperf.semantics.callgraph.calls import callers
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.holds import holds
from deepperf.semantics.objects.origin import UnitKey
from deepperf.semantics.program.program import Program

_MOST = 64


def runs_in_worker(program: Program, key: UnitKey) -> bool:
    """Whether a worker is seen to be given a function, or one from which calls come to it."""
    pending, seen = [key], {key}
    while pending and len(seen) <= _MOST:
        for edge in callers(program, pending.pop()):
            if _hands_on(program, edge):
                return True
            if edge.call[:2] not in seen:
                seen.add(edge.call[:2])
                pending.append(edge.call[:2])
    return False


def _hands_on(program: Program, edge: Edge) -> bool:
    """Whether a call has workers run what it is given, a pool of which only its method tells."""
    if edge.kind is not EdgeKind.CALLBACK:
        return edge.kind is EdgeKind.WORKER
    callee = (*edge.call[:2], program.op(edge.call).args[0])
    op = program.op(callee)
    if op.kind is not Kind.ATTRIBUTE or op.data not in POOL_METHODS:
        return False
    names = [origin.name for origin in holds(program, callee)]
    return not any(program.fact(name) for name in names if name)
