"""A fact table that says something wrong is refused in one line that names it."""

from __future__ import annotations

import pytest

from deepperf.knowledge.lookup import join_facts
from deepperf.knowledge.schema import Parameter, ParameterRole, Trait
from deepperf.knowledge.tables import FactTableError, parse_facts

HEAD = 'framework = "frame"\n'


def test_a_callable_is_read_with_its_parameters() -> None:
    file = parse_facts(
        HEAD
        + """
[[callable]]
name = "frame.data.map"
aliases = ["frame.map"]
traits = ["maps-elements"]
parameters = [{ name = "workers", position = 1, default = "None", role = "parallelism" }]
returns = "frame.data.Dataset"
since = "1.2"
""",
        "frame.toml",
    )
    fact = file.facts["frame.data.map"]
    assert fact.traits == {Trait.MAPS_ELEMENTS}
    assert fact.parameters == (Parameter("workers", 1, "None", ParameterRole.PARALLELISM),)
    assert (fact.framework, fact.returns, fact.since, fact.until) == (
        "frame",
        "frame.data.Dataset",
        "1.2",
        "",
    )
    assert file.aliases == {"frame.map": "frame.data.map"}


def test_a_group_gives_each_of_its_names_the_same_fact() -> None:
    file = parse_facts(
        HEAD + '[[group]]\nmodule = "frame.math"\nnames = """sin\ncos"""\ntraits = ["computes"]\n',
        "frame.toml",
    )
    assert sorted(file.facts) == ["frame.math.cos", "frame.math.sin"]
    assert all(fact.traits == {Trait.COMPUTES} for fact in file.facts.values())


def test_an_alias_with_names_holds_for_these_names_and_may_rename_them() -> None:
    file = parse_facts(
        HEAD + '[[alias]]\nprefix = "frame"\ncanonical = "frame.math"\nnames = "sin ln=log"\n',
        "frame.toml",
    )
    assert file.aliases == {"frame.sin": "frame.math.sin", "frame.ln": "frame.math.log"}


def test_a_further_table_adds_to_facts_that_stand_elsewhere() -> None:
    file = parse_facts(
        HEAD
        + """
[[group]]
module = "frame.math"
names = "sort"
traits = ["computes"]

[[further]]
module = "frame.math"
names = "sort"
traits = ["batched"]
batched_form = "{op} works on the last axis"
data = 1
source = "https://frame.org/sort"
""",
        "frame.toml",
    )
    fact = join_facts([file]).facts["frame.math.sort"]
    assert fact.traits == {Trait.COMPUTES, Trait.BATCHED}
    assert (fact.batched_form, fact.data) == ("{op} works on the last axis", 1)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[[callable", "frame.toml: Expected ']]'"),
        ("[[callable]]\nname = 'f'\n", "frame.toml: no `framework` at the top"),
        (HEAD + "colour = 'red'\n", "frame.toml: unknown key `colour`"),
        (HEAD + "[[callable]]\ntraits = []\n", "frame.toml: callable number 1: no `name`"),
        (
            HEAD + "[[callable]]\nname = 'f'\ntrait = []\n",
            "frame.toml: callable f: unknown key `trait`",
        ),
        (
            HEAD + "[[further]]\nmodule = 'f'\nnames = 'g'\ntraits = ['computes']\n",
            "frame.toml: further f: no `source`",
        ),
        (
            HEAD + "[[callable]]\nname = 'f'\ntraits = ['computing']\n",
            "frame.toml: callable f: unknown trait 'computing'",
        ),
        (
            HEAD + "[[callable]]\nname = 'f'\ntraits = 'computes'\n",
            "frame.toml: callable f: `traits` is not a list of strings",
        ),
        (
            HEAD + "[[callable]]\nname = 'f'\nparameters = [{ name = 'x', role = 'king' }]\n",
            "frame.toml: callable f: parameter x: unknown role 'king'",
        ),
        (
            HEAD + "[[callable]]\nname = 'f'\nparameters = [{ name = 'x', position = '1' }]\n",
            "frame.toml: callable f: parameter x: `position` is not a whole number",
        ),
        (
            HEAD + "[[callable]]\nname = 'f'\nsince = 2.0\n",
            "frame.toml: callable f: `since` is not a string",
        ),
        (
            HEAD + "[[type]]\nyields = 'x'\n",
            "frame.toml: type number 1: neither `name` nor `module` and `names`",
        ),
        (HEAD + "[[alias]]\nprefix = 'f'\n", "frame.toml: alias f: no `canonical`"),
    ],
)
def test_what_is_wrong_is_named(text: str, complaint: str) -> None:
    with pytest.raises(FactTableError) as error:
        parse_facts(text, "frame.toml")
    assert str(error.value).startswith(complaint)
    assert "\n" not in str(error.value)
