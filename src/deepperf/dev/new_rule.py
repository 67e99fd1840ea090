"""Writes the folder of a new rule; its tests say what is left to do."""

from __future__ import annotations

import re
from pathlib import Path

from deepperf.config.options import WrongUse

TOPICS = (
    "environment",
    "inference",
    "input_pipeline",
    "memory",
    "model",
    "tracing",
    "training_loop",
    "transfer",
    "vectorization",
)
INSTRUCTIONS = ("avoid", "do", "dont", "no", "prefer", "use")

PAGE = """\
# {name}

## Why it is slow

## TensorFlow

```python bad
```

```python good
```

```python workload
```

## Limits

## References
"""

CHECK = '''\
"""Say in one sentence what is slow."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call

rule = Rule(
    module=__name__,
    cause="",  # these three: ids of taxonomy/codebook.toml
    symptoms=(),
    stage="",
    level=Level.WARNING,
    frameworks=("tensorflow",),
)


@each_call()
def check(call: Call) -> Iterator[Finding]:
    yield from ()
'''


def new_rule(place: str, folder: Path) -> tuple[Path, Path]:
    """Write page and check of the rule at `place` ("topic/name") under `folder`.

    Returns their paths. Raises WrongUse, and writes nothing, for a name that cannot be a
    rule's or is taken.
    """
    topic, _, name = place.replace("-", "_").partition("/")
    if topic not in TOPICS:
        raise WrongUse(f"{place}: the topic must be one of {', '.join(TOPICS)}")
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise WrongUse(f"{place}: a rule's name is lower-case words joined by hyphens")
    if name.split("_")[0] in INSTRUCTIONS:
        raise WrongUse(f"{place}: a rule is named after the smell, not after what to do about it")
    if taken := sorted(folder.glob(f"*/{name}")):
        raise WrongUse(f"{place}: there is such a rule already: {taken[0]}")
    page = folder / topic / name / "page.md"
    check = page.with_name("rule.py")
    page.parent.mkdir(parents=True, exist_ok=True)
    page.with_name("__init__.py").touch()
    # Mode "x": a file that appeared in between is not overwritten.
    with page.open("x", encoding="utf-8") as stream:
        stream.write(PAGE.format(name=name.replace("_", "-")))
    with check.open("x", encoding="utf-8") as stream:
        stream.write(CHECK)
    return page, check
