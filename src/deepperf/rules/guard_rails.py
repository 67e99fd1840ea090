"""How a program is told when what was mended comes back: said with the remedy, never a finding."""

from __future__ import annotations

from deepperf.semantics.query import File

_STANCES_SINCE = "2.6"
_COUNTS_SINCE = "2.3"
_EXPLAINS_SINCE = "0.4.24"


def says_breaks() -> str:
    """What tells of graph breaks, once there is none."""
    return "; then `fullgraph=True` has the compiler raise an error where one comes back"


def says_recompilations(file: File, framework: str, name: str) -> str:
    """What tells of a function that is compiled again, once it is warm; `name` is how it is
    called.
    """
    if framework == "torch" and file.admits("torch", since=_STANCES_SINCE):
        return (
            '; then `torch.compiler.set_stance("fail_on_recompile")`, behind a warm-up, raises an'
            " error where it does so again"
        )
    if framework == "tensorflow" and file.admits("tensorflow", since=_COUNTS_SINCE):
        return (
            f"; then `{name}.experimental_get_tracing_count()` no longer grows behind a warm-up,"
            " which a test can assert"
        )
    if framework == "jax" and file.admits("jax", since=_EXPLAINS_SINCE):
        return (
            f"; then `{name}.lower(…).compile()`, called in its place, raises an error for other"
            ' shapes, and `jax.config.update("jax_explain_cache_misses", True)` logs why it is'
            " compiled again"
        )
    return ""
