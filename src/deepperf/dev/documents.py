"""The documents that programs write, whole or in part."""

from __future__ import annotations

from pathlib import Path

from deepperf.dev.parts import filled

FILLED = ("README.md", "docs/run.md", "docs/prove.md", "docs/evaluation.md", "docs/benchmarks.md")
RULES = Path("docs") / "rules"
_WRITTEN = "<!-- Written by `deepperf dev docs` from {source}. -->"


def documents(root: Path) -> dict[Path, str]:
    """Each document below `root` that programs write, with the text that it should have.

    Raises `UnknownPart` for a mark that names no part.
    """
    found = {Path(name): filled((root / name).read_text("utf-8"), root) for name in FILLED}
    return {**found, **rule_documents()}


def rule_documents() -> dict[Path, str]:
    """The pages of all rules with their evidence, a list of them, what they answer and mend."""
    from deepperf.dev.catalogue import catalogue_page
    from deepperf.dev.fixable import fixes_page
    from deepperf.rules.evidence import read_evidence, sentence, status
    from deepperf.rules.page import read_page
    from deepperf.rules.registry import RULES_FOLDER, find_refusals, load_rules
    from deepperf.rules.show import page_with_evidence

    written = {}
    rows = ["| rule | what it finds | measured |", "|---|---|---|"]
    loaded_rules = load_rules()
    for loaded in loaded_rules:
        page, evidence = read_page(loaded.page), read_evidence(loaded.evidence, loaded.name)
        source = f"src/deepperf/rules/{loaded.page.relative_to(RULES_FOLDER).as_posix()}"
        note = _WRITTEN.format(source=source)
        written[RULES / f"{loaded.name}.md"] = f"{note}\n\n{page_with_evidence(page, evidence)}"
        said = sentence(evidence) or status(evidence).value
        rows.append(f"| [{loaded.name}]({loaded.name}.md) | {page.summary} | {said} |")
    table = "\n".join(rows)
    note = _WRITTEN.format(source="the rules' folders")
    written[RULES / "README.md"] = (
        f"{note}\n\n# The rules\n\nEach page says why the code is slow, when that does not matter, "
        "shows slow and better code, and what was measured. "
        f"`deepperf rule NAME` prints a page. "
        f"[What deepperf answers](catalogue.md) lists what each is for, [fixes](fixes.md) which "
        f"ones a program can mend.\n\n{table}\n"
    )
    for refusal in find_refusals():
        page, evidence = read_page(refusal.page), read_evidence(refusal.evidence, refusal.name)
        source = f"src/deepperf/rules/{refusal.page.relative_to(RULES_FOLDER).as_posix()}"
        note = _WRITTEN.format(source=source)
        written[RULES / f"{refusal.name}.md"] = f"{note}\n\n{page_with_evidence(page, evidence)}"
    names = {path.stem for path in written} - {"README"}
    note = _WRITTEN.format(source="src/deepperf/dev/catalogue.toml")
    written[RULES / "catalogue.md"] = f"{note}\n\n{catalogue_page(names)}"
    note = _WRITTEN.format(source="the rules' folders")
    folders = {loaded.name: loaded.page.parent for loaded in loaded_rules}
    written[RULES / "fixes.md"] = f"{note}\n\n{fixes_page(folders)}"
    return written


def outdated(root: Path) -> tuple[Path, ...]:
    """The documents that do not say what programs say today, and those of rules that are gone."""
    wanted = documents(root)
    changed = [path for path, text in wanted.items() if _text(root / path) != text]
    lying = [path.relative_to(root) for path in (root / RULES).glob("*.md")]
    return tuple(sorted({*changed, *(path for path in lying if path not in wanted)}))


def write_documents(root: Path) -> tuple[Path, ...]:
    """Write what is outdated; gives the paths."""
    wanted = documents(root)
    changed = outdated(root)
    (root / RULES).mkdir(parents=True, exist_ok=True)
    for path in changed:
        if path in wanted:
            (root / path).write_text(wanted[path], encoding="utf-8")
        else:
            (root / path).unlink()
    return changed


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
