"""What every fact table must keep to, whatever framework it is about."""

from __future__ import annotations

from collections import Counter

import pytest
from packaging.version import Version

from deepperf.knowledge.lookup import known_frameworks, load_knowledge, read_fact_file
from deepperf.knowledge.schema import Trait

FRAMEWORKS = known_frameworks()
EFFECTS = {
    Trait.RANDOM,
    Trait.READS_STATE,
    Trait.WRITES_STATE,
    Trait.PRINTS,
    Trait.READS_FILE,
    Trait.CALLS_PYTHON,
}


def test_there_are_facts_about_every_framework_that_rules_name() -> None:
    assert {"tensorflow", "keras", "torch", "jax", "numpy", "transformers", "python"} <= set(
        FRAMEWORKS
    )


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_no_name_is_written_twice(framework: str) -> None:
    file = read_fact_file(framework)
    written = Counter(file.table_names)
    class_with_constructor = set(file.facts) & set(file.types)
    repeated = [
        name for name, times in written.items() if times > 1 + (name in class_with_constructor)
    ]
    assert repeated == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_facts_stand_under_their_canonical_names(framework: str) -> None:
    file = read_fact_file(framework)
    knowledge = load_knowledge(frozenset([framework]))
    astray = {
        name: knowledge.canonical(name)
        for name in (*file.facts, *file.types)
        if knowledge.canonical(name) != name
    }
    assert astray == {}


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_alias_leads_to_something_known(framework: str) -> None:
    knowledge = load_knowledge(frozenset([framework]))
    known = set(knowledge.facts) | set(knowledge.types)
    prefixes = {name[:i] for name in known for i, c in enumerate(name) if c == "."}
    lost = [
        alias
        for alias in read_fact_file(framework).aliases
        if knowledge.canonical(alias) not in known | prefixes
    ]
    assert lost == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_type_that_is_named_is_known(framework: str) -> None:
    file = read_fact_file(framework)
    knowledge = load_knowledge(frozenset([framework]))
    # Facts of one framework may name types of another that it does not need, as Keras does.
    everything = load_knowledge(frozenset(FRAMEWORKS))
    # `$0` is what the first argument is, `$self` what the method belongs to, `$class` an object of
    # the class that it is called on.
    named = {fact.returns for fact in file.facts.values()} - {"$0", "$self", "$class"}
    for type_fact in file.types.values():
        named |= {*type_fact.bases, *type_fact.yields.split(), type_fact.call_returns}
    # Parts of tuples may be of Python's own types.
    assert sorted(named - {"", "$0", "$0[]", "str"} - set(everything.types)) == []
    bases = {base for type_fact in file.types.values() for base in type_fact.bases}
    assert sorted(bases - set(knowledge.types)) == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_traits_do_not_contradict_each_other(framework: str) -> None:
    facts = read_fact_file(framework).facts.values()
    assert [f.name for f in facts if Trait.PURE in f.traits and f.traits & EFFECTS] == []
    assert [f.name for f in facts if {Trait.ELEMENTWISE, Trait.RANDOM} <= f.traits] == []
    assert [f.name for f in facts if {Trait.ELEMENTWISE, Trait.DECODES} <= f.traits] == []
    assert [f.name for f in facts if {Trait.VIEWS, Trait.COMPUTES} <= f.traits] == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_versions_are_versions_and_in_order(framework: str) -> None:
    for fact in read_fact_file(framework).facts.values():
        for text in (fact.since, fact.until, fact.parallel_since):
            assert not text or str(Version(text)) == text, fact.name
        if fact.since and fact.until:
            assert Version(fact.since) < Version(fact.until), fact.name


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_table_names_its_source(framework: str) -> None:
    file = read_fact_file(framework)
    missing = [fact.name for fact in file.facts.values() if not fact.source.startswith("https://")]
    missing += [kind.name for kind in file.types.values() if not kind.source.startswith("https://")]
    assert missing == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_is_further_said_is_about_something_known(framework: str) -> None:
    knowledge = load_knowledge(frozenset([framework]))
    lost = [name for name in read_fact_file(framework).further if name not in knowledge.facts]
    assert lost == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_whatever_takes_a_batch_says_how(framework: str) -> None:
    silent = [
        fact.name
        for fact in load_knowledge(frozenset([framework])).facts.values()
        if Trait.BATCHED in fact.traits and not fact.batched_form
    ]
    assert silent == []
