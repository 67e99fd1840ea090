"""Variables that are set one by one, as rules see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from deepperf.knowledge.schema import Trait

if TYPE_CHECKING:
    from deepperf.semantics.view import Call, LoopPath


class VariableLoad(Struct, frozen=True):
    """A session call that sets one variable of several; `path` leads from the steps to it."""

    call: Call
    path: LoopPath

    @property
    def has_batch_form(self) -> bool:
        """Whether the framework has a function that sets all variables in one call."""
        return self.call.framework == "keras"

    @property
    def is_run_of_assignment(self) -> bool:
        """Whether it runs an assignment that is there already."""
        return not self.call.has(Trait.SETS_ONE_VARIABLE) and self.call.last_name != "load"
