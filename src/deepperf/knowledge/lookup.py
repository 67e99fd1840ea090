"""Answers questions about framework names from the fact tables."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Set
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from deepperf.knowledge import members
from deepperf.knowledge.compiled import read_table
from deepperf.knowledge.schema import Addition, Fact, ParameterRole, Trait, TypeFact
from deepperf.knowledge.tables import FactFile, FactTableError, parse_facts

FRAMEWORK_MARKERS = re.compile(
    rb"tensorflow|keras|torch|jax|transformers|vllm|flax|datasets|tflearn|import tf\b|import jnp\b"
)
"""Found in every source that names a deep-learning framework (and in some that do not)."""
_MAX_ALIAS_STEPS = 8
_FACTS = Path(__file__).with_name("facts")


class Knowledge(Struct, frozen=True):
    """What is known of some frameworks; a value that is never changed.

    `aliases` maps dotted names and prefixes of names to canonical ones. `telling` maps names of
    methods that only one type has to their full names, `parallel` those that only one type has
    with an argument that says how parallel they are. `triggers` are the last components of all
    names, aliases too, of callables with a trait.
    """

    frameworks: frozenset[str]
    facts: Mapping[str, Fact]
    types: Mapping[str, TypeFact]
    aliases: Mapping[str, str]
    telling: Mapping[str, str] = field(default_factory=dict)
    parallel: Mapping[str, str] = field(default_factory=dict)
    triggers: Mapping[Trait, frozenset[str]] = field(default_factory=dict)
    told: Mapping[str, str] = field(default_factory=dict)
    """Names of methods that something unknown is taken to have, to their full names."""
    keywords: Mapping[str, str] = field(default_factory=dict)
    """Keywords that tell what something unknown is that is called with them."""
    methods: Mapping[Trait, frozenset[str]] = field(default_factory=dict)
    """The names of methods with a trait."""
    read_types: Mapping[str, str] = field(default_factory=dict)
    """Names of methods that read from a device to the type of their result, whatever has them."""
    lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Types with the known bases of each, nearest first."""

    def canonical(self, name: str) -> str:
        """The one name under which facts about `name` are kept; itself where none is known."""
        for _ in range(_MAX_ALIAS_STEPS):
            target = self._follow_alias(name)
            if target == name:
                break
            name = target
        return name

    def imported(self, module: str, name: str) -> str:
        """The canonical name of what a module gives that is no file of the project."""
        whole = members.MODULE_NAMES.get(name)
        if whole is not None and module.partition(".")[0] not in self.frameworks:
            return whole
        return self.canonical(f"{module}.{name}")

    def _follow_alias(self, name: str) -> str:
        aliases = self.aliases
        target = aliases.get(name)
        if target is not None:
            return target
        end = name.rfind(".")
        while end > 0:
            target = aliases.get(name[:end])
            if target is not None:
                return target + name[end:]
            end = name.rfind(".", 0, end)
        return name

    def fact(self, name: str) -> Fact | None:
        """The fact of the callable with this canonical name.

        A class without a fact of its own answers with one made from its type: it returns
        itself and has the traits of the nearest base that has some.
        """
        return self.facts.get(name)

    def type(self, name: str) -> TypeFact | None:
        """The class with this canonical name; what its table leaves out comes from its bases."""
        return self.types.get(name)

    def method(self, type_name: str, attribute: str) -> str | None:
        """The canonical name of the method or attribute that an instance of the type has.

        Nearer bases are asked first. None where no fact is known.
        """
        for ancestor in self.ancestry(type_name):
            name = f"{ancestor}.{attribute}"
            if name in self.facts:
                return name
        return None

    def ancestry(self, type_name: str) -> tuple[str, ...]:
        """The type itself and all its known bases, nearest first."""
        return self.lines.get(type_name) or (type_name,)

    def is_subtype(self, name: str, base: str) -> bool:
        """Whether the type `name` is `base` or inherits from it."""
        return name == base or base in self.ancestry(name)

    def trigger_names(self, traits: Iterable[Trait]) -> frozenset[str]:
        """The last components of all names, aliases too, of callables with one of `traits`."""
        return frozenset().union(*(self.triggers.get(trait, frozenset()) for trait in traits))

    def method_names(self, traits: Iterable[Trait]) -> frozenset[str]:
        """The names of all methods with one of `traits`."""
        return frozenset().union(*(self.methods.get(trait, frozenset()) for trait in traits))

    def last_names(self, names: Set[str]) -> frozenset[str]:
        """The last components of full names, and of the aliases that stand for them."""
        aliases = (alias for alias, target in self.aliases.items() if target in names)
        return frozenset(name.rpartition(".")[2] for name in (*names, *aliases))


def known_frameworks() -> tuple[str, ...]:
    """The names of the frameworks' fact files, in alphabetical order."""
    return tuple(sorted(path.stem for path in _FACTS.glob("*.toml")))


def known_companions() -> tuple[str, ...]:
    """The names of libraries that programs use beside a framework, in alphabetical order.

    Their facts lie in `facts/companions/`; a file that names no framework does not matter for
    naming one of them.
    """
    return tuple(sorted(path.stem for path in _FACTS.glob("companions/*.toml")))


@functools.cache
def read_fact_file(framework: str) -> FactFile:
    """The facts of one framework. Raises `FactTableError` where there is no such file."""
    origin = f"{framework}.toml"
    folder = _FACTS if framework in known_frameworks() else _FACTS / "companions"
    try:
        return read_table(folder / origin, FactFile, parse_facts)
    except OSError:
        raise FactTableError(f"{origin}: no facts are known of this framework") from None


@functools.lru_cache(maxsize=32)
def load_knowledge(frameworks: frozenset[str]) -> Knowledge:
    """Everything known of the frameworks, of those they need, and of Python itself.

    Raises `FactTableError` for a framework without a fact file, and for a wrong table.
    """
    files: dict[str, FactFile] = {}
    waiting = ["python", *frameworks]
    while waiting:
        name = waiting.pop()
        if name not in files:
            files[name] = read_fact_file(name)
            waiting.extend(files[name].needs)
    return join_facts(files.values())


def join_facts(files: Iterable[FactFile]) -> Knowledge:
    """One `Knowledge` of several files; their order does not matter."""
    facts: dict[str, Fact] = {}
    types: dict[str, TypeFact] = {}
    aliases: dict[str, str] = {}
    constructor_traits: dict[str, frozenset[Trait]] = {}
    ordered = sorted(files, key=lambda file: file.framework)
    for file in ordered:
        facts.update(file.facts)
        types.update(file.types)
        aliases.update(file.aliases)
        constructor_traits.update(file.constructor_traits)
    constructors = {
        name: Fact(
            name,
            fact.framework,
            _constructor_traits(name, types, facts, constructor_traits),
            returns=name,
            source=fact.source,
        )
        for name, fact in types.items()
        if name not in facts
    }
    facts.update(constructors)
    for file in ordered:
        for name, additions in file.further.items():
            for addition in additions if name in facts else ():
                facts[name] = _with_addition(facts[name], addition)
    types = {name: _with_inherited(fact, types) for name, fact in types.items()}
    frameworks = frozenset(file.framework for file in ordered)
    telling = _by_last_name(facts, Trait.TELLS_TYPE)
    parallel = _by_last_name(facts, Trait.TOLD_BY_PARALLELISM)
    named = facts | {name: facts[target] for name, target in aliases.items() if target in facts}
    triggers = _last_names(named)
    told = _by_last_name(facts, Trait.TOLD_BY_NAME)
    keywords = _telling_keywords(facts)
    of_types = {name: f for name, f in facts.items() if name.rpartition(".")[0] in types}
    return Knowledge(
        frameworks, facts, types, aliases, telling, parallel, triggers, told, keywords,
        _last_names(of_types), _read_types(of_types.values()),
        {name: _ancestry(name, types) for name in types},
    )  # fmt: skip


def _last_names(facts: Mapping[str, Fact]) -> dict[Trait, frozenset[str]]:
    """The last components of the names of what has a trait."""
    found: dict[Trait, set[str]] = {}
    for name, fact in facts.items():
        for trait in fact.traits:
            found.setdefault(trait, set()).add(name.rpartition(".")[2])
    return {trait: frozenset(names) for trait, names in found.items()}


def _read_types(methods: Iterable[Fact]) -> dict[str, str]:
    """The types of what methods read, by their names, where all of one name give one type."""
    found: dict[str, list[Fact]] = {}
    for fact in methods:
        found.setdefault(fact.name.rpartition(".")[2], []).append(fact)
    return {
        name: facts[0].returns
        for name, facts in found.items()
        if facts[0].returns
        and len({fact.returns for fact in facts}) == 1
        and any(map(_reads, facts))
    }


def _reads(method: Fact) -> bool:
    """Whether it waits for what an array holds, or gives an array of another library."""
    is_other = method.name.rpartition(".")[0] != method.returns == "numpy.ndarray"
    return is_other or Trait.SYNCS_HOST in method.traits


def _telling_keywords(facts: Mapping[str, Fact]) -> dict[str, str]:
    return {
        parameter.name: name
        for name, fact in facts.items()
        if Trait.TOLD_BY_KEYWORD in fact.traits
        for parameter in fact.parameters
        if parameter.role is ParameterRole.TELLS
    }


def _by_last_name(facts: Mapping[str, Fact], trait: Trait) -> dict[str, str]:
    return {name.rpartition(".")[2]: name for name, fact in facts.items() if trait in fact.traits}


def _with_addition(fact: Fact, addition: Addition) -> Fact:
    return replace(
        fact,
        traits=fact.traits | addition.traits,
        parameters=(*fact.parameters, *addition.parameters),
        batched_form=addition.batched_form or fact.batched_form,
        pairs_form=addition.pairs_form or fact.pairs_form,
        data=addition.data if addition.data is not None else fact.data,
    )


def _constructor_traits(
    name: str,
    types: Mapping[str, TypeFact],
    facts: Mapping[str, Fact],
    written: Mapping[str, frozenset[Trait]],
) -> frozenset[Trait]:
    for ancestor in _ancestry(name, types):
        if ancestor in written:
            return written[ancestor]
        if ancestor in facts:
            return facts[ancestor].traits
    return frozenset()


def _with_inherited(fact: TypeFact, types: Mapping[str, TypeFact]) -> TypeFact:
    if not fact.bases:
        return fact
    line = [types[name] for name in _ancestry(fact.name, types) if name in types]
    return TypeFact(
        fact.name,
        fact.framework,
        fact.bases,
        next((item.yields for item in line if item.yields), ""),
        next((item.call_returns for item in line if item.call_returns), ""),
        next((item.call_traits for item in line if item.call_traits), frozenset()),
        fact.source,
    )


def _ancestry(name: str, types: Mapping[str, TypeFact]) -> tuple[str, ...]:
    found = [name]
    for ancestor in found:
        fact = types.get(ancestor)
        if fact is not None:
            found.extend(base for base in fact.bases if base not in found)
    return tuple(found)
