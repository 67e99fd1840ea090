"""Reads the fact tables of `facts/*.toml` into facts, and says what is wrong with one.

A file starts with `framework`, and `needs` (the frameworks whose facts its users also meet).
Its tables are

- `[[callable]]`: one callable, with `name` and whatever `Fact` and `Parameter` hold, and
  `aliases`, other full names of it;
- `[[group]]`: plain callables that share everything but their names: `module` and `names`,
  a string of names separated by white space;
- `[[type]]`: a class, or with `module` and `names` several; `traits` are its constructor's,
  inherited from its bases where not given;
- `[[further]]`: what `names` of `module`, which other tables describe, have beside that:
  `traits`, `parameters`, `batched_form`, `pairs_form`, `data`;
- `[[alias]]`: whatever starts with `prefix` is really called `canonical` and the rest; with
  `names`, that holds for these names under `prefix` alone, where `old=new` also renames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import fields

from deepperf.knowledge.compiled import parse_toml
from deepperf.knowledge.schema import Addition, Fact, Parameter, ParameterRole, Trait, TypeFact

_TRAITS = {trait.value: trait for trait in Trait}
_ROLES = {role.value: role for role in ParameterRole}
_SHARED = frozenset({"traits", "returns", "since", "until", "parallel_since", "source"})
_CALLABLE = _SHARED | {"name", "aliases", "parameters"}
_GROUP = _SHARED | {"module", "names", "parameters"}
_TYPE = frozenset(
    {"name", "module", "names", "aliases", "bases", "yields", "call_returns", "call_traits"}
    | {"traits", "source"}
)
_FURTHER = frozenset({"module", "names", "traits", "parameters", "source"})
_FURTHER |= {"batched_form", "pairs_form", "data"}
_ALIAS = frozenset({"prefix", "canonical", "names"})
_PARAMETER = frozenset({"name", "position", "default", "role", "among"})
_FILE = frozenset({"framework", "needs", "callable", "group", "type", "alias"})
_FILE |= {"further"}
_TEXTS = frozenset(
    {"name", "names", "module", "returns", "since", "until", "parallel_since", "source", "yields"}
    | {
        "batched_form",
        "pairs_form",
        "call_returns",
        "prefix",
        "canonical",
        "default",
        "role",
        "framework",
    }
)
_NAME_LISTS = frozenset({"traits", "aliases", "bases", "call_traits", "needs", "among"})


_FORMS: dict[str, tuple[frozenset[str], tuple[str, ...]]] = {
    "callable": (_CALLABLE, ("name",)),
    "group": (_GROUP, ("module", "names")),
    "type": (_TYPE, ()),
    "alias": (_ALIAS, ("prefix", "canonical")),
    "further": (_FURTHER, ("module", "names", "source")),
}
"""For each kind of table the keys that it may have, and those that it must."""
Table: TypeAlias = tuple[Mapping[str, Any], str]
"""A table, and where it stands, for errors."""


class FactTableError(ValueError):
    """A fact table says something that the schema has no place for."""


class FactFile(Struct, frozen=True):
    """What one file of facts holds.

    `constructor_traits` are those written on types; `aliases` maps full names or prefixes to
    canonical ones; `table_names` lists every fact and type as often as it was written, for
    tests that look for repetitions.
    """

    framework: str
    needs: tuple[str, ...]
    facts: Mapping[str, Fact]
    types: Mapping[str, TypeFact]
    constructor_traits: Mapping[str, frozenset[Trait]]
    aliases: Mapping[str, str]
    table_names: tuple[str, ...]
    further: Mapping[str, tuple[Addition, ...]]


def parse_facts(text: str, origin: str) -> FactFile:
    """The facts written in `text`; `origin` names the file in errors.

    Raises `FactTableError` naming the file, the table and the key.
    """
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise FactTableError(f"{origin}: {error}") from None
    _reject_unknown(data, _FILE, origin)
    framework = data.get("framework", "")
    if not framework:
        raise FactTableError(f"{origin}: no `framework` at the top")
    tables = {kind: list(_tables(data, kind, *form, origin)) for kind, form in _FORMS.items()}
    facts = [*_callables(tables["callable"], framework), *_groups(tables["group"], framework)]
    types = list(_types(tables["type"], framework))
    return FactFile(
        framework,
        tuple(data.get("needs", ())),
        {fact.name: fact for fact in facts},
        {one.name: one for one in types},
        dict(_constructors(tables["type"])),
        dict(_aliases(tables)),
        (*[fact.name for fact in facts], *[one.name for one in types]),
        _further(tables["further"]),
    )


def _callables(tables: list[Table], framework: str) -> Iterator[Fact]:
    for table, where in tables:
        yield _fact(table["name"], framework, table, where)


def _groups(tables: list[Table], framework: str) -> Iterator[Fact]:
    for table, where in tables:
        shared = _fact("", framework, table, where)
        # There are thousands, and `dataclasses.replace` is slow.
        rest = [getattr(shared, field.name) for field in fields(Fact)[1:]]
        for name in _full_names(table):
            yield Fact(name, *rest)


def _types(tables: list[Table], framework: str) -> Iterator[TypeFact]:
    for table, where in tables:
        for name in _type_names(table, where):
            yield TypeFact(
                name,
                framework,
                tuple(table.get("bases", ())),
                table.get("yields", ""),
                table.get("call_returns", ""),
                _traits(table.get("call_traits", ()), where),
                table.get("source", ""),
            )


def _type_names(table: Mapping[str, Any], where: str) -> list[str]:
    names = _full_names(table) if "names" in table else [table.get("name", "")]
    if not all(names):
        raise FactTableError(f"{where}: neither `name` nor `module` and `names`")
    return names


def _constructors(tables: list[Table]) -> Iterator[tuple[str, frozenset[Trait]]]:
    """What making an object of a type does, where the type's table says so."""
    for table, where in tables:
        if "traits" in table:
            traits = _traits(table["traits"], where)
            yield from ((name, traits) for name in _type_names(table, where))


def _aliases(tables: Mapping[str, list[Table]]) -> Iterator[tuple[str, str]]:
    for table, _ in tables["callable"]:
        yield from ((alias, table["name"]) for alias in table.get("aliases", ()))
    for table, where in tables["type"]:
        first = _type_names(table, where)[0]
        yield from ((alias, first) for alias in table.get("aliases", ()))
    for table, _ in tables["alias"]:
        if "names" not in table:
            yield table["prefix"], table["canonical"]
        for pair in table.get("names", "").split():
            name, _, new = pair.partition("=")
            yield f"{table['prefix']}.{name}", f"{table['canonical']}.{new or name}"


def _further(tables: list[Table]) -> dict[str, tuple[Addition, ...]]:
    found: dict[str, tuple[Addition, ...]] = {}
    for table, where in tables:
        addition = _addition(table, where)
        for name in _full_names(table):
            found[name] = (*found.get(name, ()), addition)
    return found


def _tables(
    data: Mapping[str, Any],
    kind: str,
    known: frozenset[str],
    required: tuple[str, ...],
    origin: str,
) -> Iterator[Table]:
    for number, table in enumerate(data.get(kind, ()), start=1):
        name = table.get("name") or table.get("module") or table.get("prefix") or f"number {number}"
        where = f"{origin}: {kind} {name}"
        _reject_unknown(table, known, where)
        for key in required:
            if key not in table:
                raise FactTableError(f"{where}: no `{key}`")
        yield table, where


def _full_names(table: Mapping[str, Any]) -> list[str]:
    module = table.get("module", "")
    return [f"{module}.{name}" for name in table["names"].split()] if module else [""]


def _fact(name: str, framework: str, table: Mapping[str, Any], where: str) -> Fact:
    return Fact(
        name,
        framework,
        _traits(table.get("traits", ()), where),
        tuple(_parameter(item, where) for item in table.get("parameters", ())),
        table.get("returns", ""),
        table.get("since", ""),
        table.get("until", ""),
        table.get("parallel_since", ""),
        table.get("source", ""),
    )


def _addition(table: Mapping[str, Any], where: str) -> Addition:
    return Addition(
        _traits(table.get("traits", ()), where),
        tuple(_parameter(item, where) for item in table.get("parameters", ())),
        table.get("batched_form", ""),
        table.get("pairs_form", ""),
        table.get("data"),
    )


def _parameter(table: Mapping[str, Any], where: str) -> Parameter:
    _reject_unknown(table, _PARAMETER, f"{where}: parameter {table.get('name', '?')}")
    if "name" not in table:
        raise FactTableError(f"{where}: a parameter has no `name`")
    role = table.get("role")
    if role is not None and role not in _ROLES:
        raise FactTableError(f"{where}: parameter {table['name']}: unknown role {role!r}")
    return Parameter(
        table["name"],
        table.get("position"),
        table.get("default"),
        _ROLES[role] if role is not None else None,
        tuple(table.get("among", ())),
    )


def _traits(names: list[str] | tuple[str, ...], where: str) -> frozenset[Trait]:
    try:
        return frozenset([_TRAITS[name] for name in names])
    except KeyError as error:
        raise FactTableError(f"{where}: unknown trait {error.args[0]!r}") from None


def _reject_unknown(table: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    if unknown := sorted(table.keys() - known):
        raise FactTableError(f"{where}: unknown key `{unknown[0]}`")
    for key, value in table.items():
        if key in _TEXTS and not isinstance(value, str):
            raise FactTableError(f"{where}: `{key}` is not a string")
        if key in _NAME_LISTS and not _all_strings(value):
            raise FactTableError(f"{where}: `{key}` is not a list of strings")
        if key in ("position", "data") and not isinstance(value, int):
            raise FactTableError(f"{where}: `{key}` is not a whole number")


def _all_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
