"""What readers found of compiled code, counted: probes, and functions that another tool judges."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

_ABSENT = "-"


def _rows(root: Path, name: str) -> list[dict[str, str]]:
    with (root / "evaluation" / "compiled" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def probes_table(root: Path) -> str:
    """Of pairs of small programs: on how many bad sides `check` spoke, and on mended ones not."""
    return _probes(_rows(root, "probes.csv"))


def second_probes_table(root: Path) -> str:
    """The same of eighteen pairs that were written later."""
    return _probes(_rows(root, "probes_second.csv"))


def third_probes_table(root: Path) -> str:
    """The same of eighteen pairs that were written without a look at the rules."""
    return _probes(_rows(root, "probes_third.csv"))


def fourth_probes_table(root: Path) -> str:
    """The same of twenty-four more."""
    return _probes(_rows(root, "probes_fourth.csv"))


def fifth_probes_table(root: Path) -> str:
    """The same of twelve that were written after a round of mends."""
    return _probes(_rows(root, "probes_fifth.csv"))


def judged_table(root: Path) -> str:
    """What a reader said of all hits of rules on compiled code in repositories that use it much."""
    rows = _rows(root, "judged-1.csv")
    lines = ["| rule | level | hits | true / arguable / false |", "|---|---|---|---|"]
    kinds = sorted({(row["rule"], row["level"]) for row in rows})
    for rule, level in [*kinds, ("all", "")]:
        own = [row for row in rows if rule == "all" or (row["rule"], row["level"]) == (rule, level)]
        said = Counter(row["verdict"] for row in own)
        counts = " / ".join(str(said[one]) for one in ("true", "arguable", "false"))
        lines.append(f"| {rule} | {level} | {len(own)} | {counts} |")
    names = sorted({row["repository"].replace("__", "/") for row in rows})
    return "\n".join([*lines, "", f"Hits in {', '.join(names)}."])


def _probes(rows: Sequence[Mapping[str, str]]) -> str:
    columns = "bad told, first | mended silent, first | bad told, now | mended silent, now"
    lines = [f"| probes | number | {columns} |", "|---|---|---|---|---|---|"]
    frameworks = [*dict.fromkeys(row["framework"] for row in rows), "all"]
    for name in frameworks:
        own = [row for row in rows if name in (row["framework"], "all")]
        first, now = ((_told(own, when), _silent(own, when)) for when in ("first", "now"))
        numbers = " | ".join(map(str, (len(own), *first, *now)))
        lines.append(f"| {name} | {numbers} |")
    silent = [row for row in rows if row["now_bad"] == "no"]
    if not silent:
        return "\n".join([*lines, "", "All bad sides are told now."])
    lines += ["", "Bad sides that are not told now:", ""]
    lines += [f"- {row['framework']}, {row['probe']}: {row['remark']}." for row in silent]
    return "\n".join(lines)


def _told(rows: Sequence[Mapping[str, str]], when: str) -> int:
    return sum(row[f"{when}_bad"] == "yes" for row in rows)


def _silent(rows: Sequence[Mapping[str, str]], when: str) -> int:
    return sum(row[f"{when}_mended"] == "silent" for row in rows)


def hybridized_table(root: Path) -> str:
    """What the preconditions of Hybridize-Functions and `check` say of the same functions."""
    rows = _rows(root, "hybridize-60.csv")
    said = Counter((row["changes"], row["compared"], row["why"] or _ABSENT) for row in rows)
    kinds = (
        ("compile", "same", "both would compile it"),
        ("leave", "same", "both leave it"),
        ("compile", "other place", "Hybridize-Functions compiles it, `check` its caller"),
        ("leave", "other place", "Hybridize-Functions refuses it, `check` names its caller"),
        ("compile", "Hybridize alone", "Hybridize-Functions compiles it, `check` is silent"),
        ("leave", "check alone", "Hybridize-Functions refuses it, `check` names a loop in it"),
    )
    lines = ["| what they say | functions | why |", "|---|---|---|"]
    for changes, compared, text in kinds:
        own = {why: n for (c, p, why), n in said.items() if (c, p) == (changes, compared)}
        reasons = "; ".join(f"{why} ({n})" for why, n in own.items() if why != _ABSENT)
        # Why both leave a function is what the preconditions say.
        reasons = _refusals(rows) if (changes, compared) == ("leave", "same") else reasons
        lines.append(f"| {text} | {sum(own.values())} | {reasons} |")
    projects = sorted({row["project"] for row in rows})
    return "\n".join([*lines, "", f"Functions of {', '.join(projects)}."])


def _refusals(rows: Sequence[Mapping[str, str]]) -> str:
    found = Counter(
        row["preconditions"].partition(";")[0]
        for row in rows
        if row["changes"] == "leave" and row["compared"] == "same"
    )
    return "; ".join(f"{name} ({count})" for name, count in found.most_common())
