"""The page that says which rules have a fix, and why the others have none."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from deepperf.records import Safety

_REASON = re.compile(r"^- No fix is offered(?:: |, )((?:.|\n  )+)", re.MULTILINE)
_INTRODUCTION = """\
# Fixes

`deepperf check --fix` makes the safe ones: results and the order of side effects stay as they are.
`--unsafe-fixes` makes the others, too; `deepperf prove` tries all of them on your own command, and
keeps those that help and change no result. On the rules' pages the slow side, fixed, is the better
side, byte for byte, and `deepperf bench` runs both and compares their results.
"""


def safety_of(folder: Path) -> tuple[Safety, ...]:
    """Of which kinds the fixes of a rule are, as its check says; none where it has no fix."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py")))
    return tuple(one for one in Safety if re.search(rf"\bSafety\.{one.name}\b", text))


def reason_of(folder: Path) -> str:
    """Why a rule has no fix, as its page says among its limits; "" where it does not."""
    found = _REASON.search((folder / "page.md").read_text(encoding="utf-8"))
    return "" if found is None else " ".join(found[1].split()).rstrip(".")


def fixes_page(folders: Mapping[str, Path]) -> str:
    """The page, as Markdown, for the folders of all rules by name."""
    found = {name: safety_of(folder) for name, folder in sorted(folders.items())}
    fixable = [name for name, kinds in found.items() if kinds]
    rows = [f"| [{name}]({name}.md) | {_cell(found[name])} |" for name in fixable]
    others = [name for name in found if name not in fixable]
    unfixed = [f"| [{name}]({name}.md) | {reason_of(folders[name])} |" for name in others]
    return "\n".join(
        (
            _INTRODUCTION,
            f"{len(fixable)} of {len(found)} rules have one.\n",
            "| rule | fix |",
            "|---|---|",
            *rows,
            "\n## Without a fix\n",
            "| rule | why |",
            "|---|---|",
            *unfixed,
            "",
        )
    )


def _cell(kinds: Sequence[Safety]) -> str:
    return " or ".join(kind.value for kind in kinds)
