"""All that a rule may ask about a program: the façade of the engine. (contract; body under construction)"""

from __future__ import annotations
