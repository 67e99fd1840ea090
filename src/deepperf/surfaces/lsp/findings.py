"""Findings in the words of the language server protocol."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias

from lsprotocol import types

from deepperf.check.select import UNUSED_SUPPRESSION
from deepperf.check.silence import silencing
from deepperf.fixes.apply import compatible
from deepperf.outputs.rule_help import rule_help
from deepperf.records import Edit, Finding, Fix, Level, Location, Safety
from deepperf.surfaces.lsp.texts import Document, range_of, range_of_edit

SOURCE = "deepperf"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"
_SEVERITY = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.NOTE: types.DiagnosticSeverity.Information,
}
DocumentOf: TypeAlias = Callable[[Location], Document]
"""Tells the document that a location is in."""
Changes: TypeAlias = dict[str, list[types.TextEdit]]


def diagnostic_of(finding: Finding, document_of: DocumentOf) -> types.Diagnostic:
    """A finding as a diagnostic: its call chain and further places are related information."""
    remedy = f"\ninstead: {finding.remedy}" if finding.remedy else ""
    is_idle = finding.rule == UNUSED_SUPPRESSION
    return types.Diagnostic(
        range=range_of(document_of(finding.location).text, finding.location),
        message=finding.message + remedy,
        severity=_SEVERITY[finding.level],
        code=finding.rule,
        source=SOURCE,
        tags=[types.DiagnosticTag.Unnecessary] if is_idle else None,
        related_information=list(_related(finding, document_of)) or None,
    )


def _related(
    finding: Finding, document_of: DocumentOf
) -> Iterator[types.DiagnosticRelatedInformation]:
    for step in (*finding.path, *finding.related):
        document = document_of(step.location)
        place = types.Location(document.uri, range_of(document.text, step.location))
        yield types.DiagnosticRelatedInformation(place, step.text)


def hover_of(findings: Iterable[Finding]) -> str:
    """What a rule's page says first, and what was measured, as Markdown."""
    return "\n\n---\n\n".join(dict.fromkeys(_explained(finding) for finding in findings))


def _explained(finding: Finding) -> str:
    summary, why, measured = _of_rule(finding.rule, finding.framework)
    parts = [f"**{finding.rule}**: {summary}", finding.message]
    if finding.remedy:
        parts.append(f"*Instead*: {finding.remedy}")
    if finding.sketch:
        parts.append(f"*Sketch, to be adapted*:\n\n```python\n{finding.sketch}```")
    if measured:
        parts.append(f"*Measured on the rule's example*: {measured}")
    if why:
        parts.append(why)
    return "\n\n".join(parts)


@functools.cache
def _of_rule(name: str, framework: str) -> tuple[str, str, str]:
    """The summary of a rule, its section on why it is slow, and its evidence in a sentence, which
    is of the framework that a finding is about.
    """
    from deepperf.outputs.measured import measured
    from deepperf.rules.evidence import sentence

    help_of = rule_help(name)
    _, _, why = help_of.markdown.partition("## Why it is slow")
    evidence = measured((name,)).get(name)
    return (
        help_of.summary,
        why.partition("\n## ")[0].strip(),
        sentence(evidence, framework) if evidence else "",
    )


def actions_for(
    finding: Finding, diagnostic: types.Diagnostic, document: Document, whole: Sequence[Document]
) -> Iterator[types.CodeAction]:
    """The fix of a finding in a document, that with a guard rail, and the comment that silences it.

    `whole` are all documents of its file: those of a notebook are several.
    """
    for fix in (finding.fix, finding.guarded):
        changes = _changes(fix.edits, whole) if fix is not None else None
        if fix is not None and changes:
            doubt = "" if fix.safety is Safety.SAFE else " (may change results)"
            yield _quick_fix(fix.title + doubt, diagnostic, changes, fix)
    if finding.rule == UNUSED_SUPPRESSION:
        return
    edit = silencing(document.text.text, finding.location, finding.rule)
    if edit is not None:
        change = types.TextEdit(range_of_edit(document.text, edit), edit.text)
        title = f"Ignore {finding.rule} here"
        yield _quick_fix(title, diagnostic, {document.uri: [change]})


def fix_all(findings: Iterable[Finding], whole: Sequence[Document]) -> types.CodeAction | None:
    """All fixes of a file at once that keep results as they are, as far as they go together."""
    fixes = [f.fix for f in findings if f.fix is not None and f.fix.safety is Safety.SAFE]
    edits = {edit for fix in compatible(fixes) for edit in fix.edits}
    changes = _changes(sorted(edits), whole)
    if not changes:
        return None
    edit = types.WorkspaceEdit(changes=changes)
    return types.CodeAction("Fix what keeps results as they are", kind=FIX_ALL, edit=edit)


def _quick_fix(
    title: str, diagnostic: types.Diagnostic, changes: Changes, fix: Fix | None = None
) -> types.CodeAction:
    return types.CodeAction(
        title,
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[diagnostic],
        edit=types.WorkspaceEdit(changes=changes),
        is_preferred=None if fix is None else fix.safety is Safety.SAFE,
    )


def _changes(edits: Iterable[Edit], whole: Sequence[Document]) -> Changes | None:
    """The edits by document; None where one is in none of them."""
    changes: dict[str, list[types.TextEdit]] = {}
    for edit in edits:
        place = bisect.bisect_right(whole, edit.start, key=lambda document: document.offset) - 1
        document = whole[place]
        inside = Edit(edit.start - document.offset, edit.end - document.offset, edit.text)
        if place < 0 or inside.end > len(document.text.text):
            return None
        change = types.TextEdit(range_of_edit(document.text, inside), edit.text)
        changes.setdefault(document.uri, []).append(change)
    return changes
