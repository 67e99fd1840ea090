"""Which operands no training changes: data that is read or written out, and sizes.

Asked of a function's operand, the answer may be that it depends on what the function is given.
"""

from __future__ import annotations

from deepperf.knowledge.schema import Trait

_DATA = frozenset((Trait.CREATES_ARRAY, Trait.DECODES, Trait.READS_SAMPLE))
_DATA |= frozenset((Trait.LOADS_SAMPLE, Trait.LOADS_ARRAY))
"""What is read or written out, and trained by nobody."""
