"""The sources of the site: the documents, and pages of what the package itself can tell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from posixpath import join, normpath
from typing import TYPE_CHECKING

from deepperf.dev.evidence_figure import CSS, evidence_figure
from deepperf.rules.evidence import read_evidence, sentence
from deepperf.rules.page import read_page
from deepperf.rules.registry import LoadedRule, find_rules, load_rules

if TYPE_CHECKING:
    from deepperf.dynamic.signals import Signal

CONFIGURATION = """\
project = "deepperf"
html_title = "deepperf"
extensions = ["myst_parser"]
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["deepperf.css"]
html_copy_source = False
html_show_copyright = False
myst_heading_anchors = 4
highlight_language = "none"
"""
LINK = re.compile(r"(?<!!)\[([^\]\[]*(?:\[[^\]]*\])?[^\]\[]*)\]\((?!https?:|#)([^)\s]+)\)")
EVIDENCE = "## Evidence\n\n"
GUIDE = (
    "reading",
    "configuration",
    "run",
    "prove",
    "editors",
    "integrations",
    "trackers",
    "run-report",
)
MEASURED = ("evaluation", "benchmarks", "scan")
FRAMEWORKS = {
    "torch": "PyTorch",
    "tensorflow": "TensorFlow and Keras",
    "jax": "JAX",
    "transformers": "Hugging Face",
    "numpy": "NumPy",
}


def site_pages(root: Path, commands: Mapping[str, str]) -> dict[str, str]:
    """Every page of the site as Markdown, by its path without the ending.

    `commands` holds the help of each verb.
    """
    docs = root / "docs"
    pages = {
        path.relative_to(docs).with_suffix("").as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(docs.rglob("*.md"))
    }
    pages["changelog"] = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    pages["commands"] = _commands(commands)
    pages["symptoms"] = _symptoms()
    for name, title in FRAMEWORKS.items():
        pages[f"frameworks/{name}"] = _framework(name, title)
    for loaded in load_rules():
        name = f"rules/{loaded.name}"
        drawn = evidence_figure(read_evidence(loaded.evidence, loaded.name))
        pages[name] = pages[name].replace(EVIDENCE, f"{EVIDENCE}{drawn}\n\n" if drawn else EVIDENCE)
    pages["index"] = _index(root, pages)
    return {name: _inside(name, text, pages) for name, text in pages.items()}


def write_site(root: Path, folder: Path, commands: Mapping[str, str]) -> None:
    """Write the sources of the site, for Sphinx, with the pictures that the documents show."""
    for name, text in site_pages(root, commands).items():
        target = folder / f"{name}.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    for picture in (root / "docs").rglob("*.png"):
        (folder / picture.relative_to(root / "docs")).write_bytes(picture.read_bytes())
    (folder / "_static").mkdir(exist_ok=True)
    (folder / "_static" / "deepperf.css").write_text(CSS, encoding="utf-8")
    (folder / "conf.py").write_text(CONFIGURATION, encoding="utf-8")


def _inside(name: str, text: str, pages: Mapping[str, str]) -> str:
    """A page whose links to files that the site does not have are plain text."""

    def kept(link: re.Match[str]) -> str:
        target = normpath(join(name, "..", link[2].partition("#")[0]))
        is_here = target.removesuffix(".md") in pages or target.endswith((".png", ".txt"))
        if not is_here or target.endswith(".txt"):
            return link[1]
        page = pages.get(target.removesuffix(".md"))
        # A file's name says nothing where there are no files.
        if page is not None and link[1].endswith(".md"):
            return f"[{_title(page)}]({link[2]})"
        return link[0]

    return LINK.sub(kept, text)


def _title(page: str) -> str:
    return next(line[2:] for line in page.splitlines() if line.startswith("# "))


def _index(root: Path, pages: Mapping[str, str]) -> str:
    readme = (root / "README.md").read_text(encoding="utf-8")
    start = re.sub(r"\]\(docs/", "](", readme.partition("\n## Limits")[0])
    start = re.sub(r"<!--.*?-->\n?", "", start)
    rules = sorted(name for name in pages if name.startswith("rules/") and "README" not in name)
    decisions = sorted(name for name in pages if name.startswith("decisions/"))
    parts = (
        ("Guide", GUIDE),
        ("Problems", ("symptoms", *(f"frameworks/{name}" for name in FRAMEWORKS))),
        ("Rules", ("rules/README", *rules)),
        ("Reference", ("commands", "changelog")),
        ("How right it is", MEASURED),
        ("Decisions", decisions),
    )
    trees = (_tree(title, names) for title, names in parts)
    return "\n\n".join((start.rstrip(), *trees)) + "\n"


def _tree(title: str, names: Sequence[str]) -> str:
    listed = "\n".join(names)
    return f"```{{toctree}}\n:caption: {title}\n:hidden:\n:maxdepth: 1\n\n{listed}\n```"


def _commands(commands: Mapping[str, str]) -> str:
    """What every verb takes, as `--help` tells it."""
    parts = (f"## {verb}\n\n```text\n{text.rstrip()}\n```" for verb, text in commands.items())
    return "\n\n".join(("# Commands", *parts)) + "\n"


def _symptoms() -> str:
    """The rules and signals by what a user sees, in the terms of the study."""
    from deepperf.dynamic.signals import signals
    from deepperf.taxonomy.terms import load_codebook

    first = (
        "Each of these can be the reason for what you see. `deepperf check` finds the rules in the "
        "source. [`deepperf run`](run.md) says which of them cost a run something, and sees what "
        "no source tells; the names of its signals are those that its reports use."
    )
    parts = ["# What is slow in my program?", first]
    rules = load_rules()
    also: dict[str, list[str]] = {}
    for one in signals():
        for rule in one.RULES:
            also.setdefault(rule, []).append(f"`{one.NAME}`")
    said = {rule: f"A run shows it as {' or '.join(names)}." for rule, names in also.items()}
    for term in load_codebook().symptoms.values():
        found = [loaded for loaded in rules if term.id in loaded.rule.symptoms]
        seen = [one for one in signals() if term.id in getattr(one, "SYMPTOMS", ())]
        if found or seen:
            parts += [f"## {term.title}", term.definition, *_by_topic(found, "", said, "###")]
        if seen:
            parts += ["### Only seen in a run", "\n".join(map(_signal, seen))]
    return "\n\n".join(parts) + "\n"


def _signal(signal: Signal) -> str:
    sentence = (signal.__doc__ or "").partition("\n\n")[0]
    return f"- `{signal.NAME}`: {' '.join(sentence.split())}"


def _framework(name: str, title: str) -> str:
    names = {"tensorflow": ("tensorflow", "keras")}.get(name, (name,))
    found = [one for one in load_rules() if set(names) & set(one.rule.frameworks)]
    said = {one.name: _measured(one, names) for one in found}
    first = f"What slows {title} code down, and what was measured with {title}."
    return "\n\n".join((f"# {title}", first, *_by_topic(found, "../", said, "##"))) + "\n"


def _measured(loaded: LoadedRule, frameworks: Sequence[str]) -> str:
    evidence = read_evidence(loaded.evidence, loaded.name)
    return next(filter(None, (sentence(evidence, name) for name in frameworks)), "")


def _by_topic(
    found: Sequence[LoadedRule], above: str, said: Mapping[str, str], heading: str
) -> Iterator[str]:
    """A list of rules for each topic, with what there is to say of some rules."""
    topics: dict[str, list[str]] = {}
    for loaded in found:
        line = f"- [{loaded.name}]({above}rules/{loaded.name}.md): {read_page(loaded.page).summary}"
        more = said.get(loaded.name)
        topic = loaded.rule.topic.replace("_", " ").capitalize()
        topics.setdefault(topic, []).append(f"{line} *{more}*" if more else line)
    for topic, lines in sorted(topics.items()):
        yield f"{heading} {topic}"
        yield "\n".join(lines)


def missing(pages: Mapping[str, str]) -> Iterator[str]:
    """What a reader would look for and not find: rules, signals, keys of settings and formats."""
    from deepperf.config.load import KEYS
    from deepperf.dynamic.signals import signals
    from deepperf.outputs.destinations import FORMATS

    yield from (
        f"rule {files.name}" for files in find_rules() if f"rules/{files.name}" not in pages
    )
    yield from (
        f"signal {one.NAME}" for one in signals() if f"`{one.NAME}`" not in pages["symptoms"]
    )
    yield from (key for key in KEYS if f"`{key}`" not in pages["configuration"])
    yield from (name for name in FORMATS if f"`{name}`" not in pages["integrations"])
