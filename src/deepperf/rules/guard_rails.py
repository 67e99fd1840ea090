"""How a program is told when what was mended comes back: said with the remedy, never a finding."""

from __future__ import annotations

from deepperf.semantics.query import File

_STANCES_SINCE = "2.6"


def says_breaks() -> str:
    """What tells of graph breaks, once there is none."""
    return "; then `fullgraph=True` has the compiler raise an error where one comes back"


def says_recompilations(file: File) -> str:
    """What tells of functions that PyTorch compiles again, once all are warm."""
    if not file.admits("torch", since=_STANCES_SINCE):
        return ""
    return (
        '; then `torch.compiler.set_stance("fail_on_recompile")`, behind a warm-up, raises an error'
        " where it does so again"
    )
