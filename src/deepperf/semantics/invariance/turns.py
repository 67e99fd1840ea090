"""What differs between two iterations of a loop, or two requests, in the code that they reach."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct, structs

from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph, starters
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.invariance import looked_up, stateless
from deepperf.semantics.invariance.reads import Use, are_numbers, free, is_data, used
from deepperf.semantics.names.flow import Binding, Definition
from deepperf.semantics.names.scopes import COMPREHENSIONS, CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, elements, values
from deepperf.semantics.values.terms import (
    UNKNOWN,
    ClassTerm,
    External,
    FunctionTerm,
    Method,
    Object,
    Term,
)

_COMBINING = frozenset((Trait.WRAPS_FUNCTION, Trait.COMPILES, Trait.COMPUTES, Trait.VIEWS))
_COMBINING |= frozenset((Trait.CREATES_ARRAY, Trait.PURE))
_DEEPEST = 12

Names = tuple[str, ...]


class Turn(Struct, frozen=True, eq=False):
    """One iteration of a loop, or with `loop` None one call of `handler`.

    `places` are the calls from there to the place asked about, which is the last of them.
    `made` is a call of the iteration that makes an object, and the constructor that it runs.
    """

    loop: Frame | None
    handler: Scope | None
    places: tuple[CallSite, ...]
    made: tuple[CallSite, Scope] | None = None

    @property
    def start(self) -> Scope:
        return self.loop.scope if self.loop is not None else self.places[0].scope

    def place_before(self, function: Scope) -> CallSite | None:
        """The call on the way that runs the function."""
        for place, following in zip(self.places, self.places[1:], strict=False):
            if following.scope is function:
                return place
        return self.made[0] if self.made is not None and self.made[1] is function else None


# What is built into a function


def varying(
    analysis: Analysis, node: ast.expr, scope: Scope, turn: Turn, itself: Scope | None
) -> Names | None:
    """The names of data in an expression, or in the functions it makes, that turns change.

    None when it rests on an object of the iteration: a model, a layer, anything it calls or whose
    attributes it reads. What it makes belongs to that object then. `itself` is the function
    that the expression names.
    """
    found: list[str] = []
    uses = used(node, scope, analysis) if itself is None else free(analysis, itself)
    for use in uses:
        names = _followed(analysis, use, turn)
        if names is None:
            names = _opened(analysis, use, turn)
        if names is None:
            return None
        found += names
    return tuple(dict.fromkeys(found))


def _followed(analysis: Analysis, first: Use, turn: Turn) -> Names | None:
    """As `varying`, of one name that is read."""
    found: list[str] = []
    asked: set[tuple[str, Scope, str]] = set()
    uses, depth = [first], 0
    while uses and depth < _DEEPEST:
        following: list[Use] = []
        for use in uses:
            key = (use.name, use.scope, use.root if use.as_object or use.picks else "")
            if key in asked:
                continue
            asked |= {key, (use.name, use.scope, "")}
            answer = _changes(analysis, use, turn)
            if isinstance(answer, list):
                following += answer
            elif answer:
                if turn.loop is not None and _is_object(analysis, use):
                    return None
                if use.picks or (use.as_object and not is_data(analysis, use.node, use.scope)):
                    return None
                found.append(use.root)
        uses = following
        depth += 1
    return tuple(found)


def _is_object(analysis: Analysis, use: Use) -> bool:
    """Whether what is read, and handed on whole, is an object of the project, and no model."""
    parent = analysis.parents_in(use.scope).get(id(use.node))
    return not (use.as_object or isinstance(parent, ast.Attribute)) and any(
        isinstance(term, Object) and classes.method_of(analysis, term.cls, "__call__") is None
        for term in values.evaluate(analysis, use.node, use.scope)
    )


def _opened(analysis: Analysis, use: Use, turn: Turn) -> Names | None:
    """As `varying`, of a method that is read from an object of the iteration.

    None where it reads a part that was made for the object, or that cannot be told.
    """
    found: list[str] = []
    turn = structs.replace(turn, made=_maker(analysis, use, turn))
    pending = [(_longest_read(analysis, use.node, use.scope), use.scope)]
    asked: set[Scope] = set()
    while pending:
        read, scope = pending.pop()
        held = values.evaluate(analysis, read, scope) if isinstance(read, ast.Attribute) else ()
        methods = [function for term in held if (function := _method_of(term)) is not None]
        # What callers outside of the project pass is beside what is known.
        if methods and len(methods) == sum(term != UNKNOWN for term in held):
            for method in methods:
                if method not in asked:
                    asked.add(method)
                    pending += _reads_of_receiver(analysis, method)
            continue
        names = _part(analysis, read, scope, turn) if isinstance(read, ast.Attribute) else None
        if names is None:
            return None
        found += names
    return tuple(found)


def _maker(analysis: Analysis, use: Use, turn: Turn) -> tuple[CallSite, Scope] | None:
    """The call that makes the object whose method reads itself by a name, and its constructor."""
    owner = binder(use.name, use.scope)
    while owner is not None and (place := turn.place_before(owner)) is not None:
        called = place.node.func
        receiver = called.value if isinstance(called, ast.Attribute) else called
        if isinstance(receiver, ast.Name) and receiver.id == classes.receiver_name(place.scope):
            owner = place.scope
            continue
        held = values.evaluate(analysis, receiver, place.scope)
        for term in held:
            site = analysis.site_of(getattr(term, "site", None), place.scope)
            if not isinstance(term, Object) or site is None or site.scope is not place.scope:
                continue
            if classes.method_of(analysis, term.cls, owner.name) is owner:
                constructor = classes.method_of(analysis, term.cls, "__init__")
                return (site, constructor) if isinstance(constructor, Scope) else None
        return None
    return None


def _method_of(term: Term) -> Scope | None:
    is_own = isinstance(term, Method) and isinstance(term.receiver, Object)
    function = term.function if isinstance(term, Method) and is_own else None
    return function.scope if isinstance(function, FunctionTerm) else None


def _reads_of_receiver(analysis: Analysis, method: Scope) -> Iterator[tuple[ast.AST | None, Scope]]:
    """Where a method reads the object whose it is, with the attribute that it reads."""
    name = classes.receiver_name(method)
    for part in tree.walk(method.node):
        if isinstance(part, ast.Name) and part.id == name:
            yield _longest_read(analysis, part, method), method


def _longest_read(analysis: Analysis, node: ast.expr, scope: Scope) -> ast.AST | None:
    """What is read of an object: `self.series`, or its part where that is a method."""
    parents = analysis.parents_in(scope)
    first = parents.get(id(node))
    second = parents.get(id(first))
    if isinstance(first, ast.Attribute) and isinstance(second, ast.Attribute):
        held = values.evaluate(analysis, second, scope)
        if any(_method_of(term) is not None for term in held):
            return second
    return first


def _part(analysis: Analysis, read: ast.Attribute, scope: Scope, turn: Turn) -> Names | None:
    """As `varying`, of a part of an object that an iteration makes, read in one of its methods."""
    has_data = are_numbers(analysis, read, scope) or is_data(analysis, read, scope)
    reader = binder(read.value.id, scope) if isinstance(read.value, ast.Name) else None
    cls = classes.enclosing_class(reader) if reader is not None else None
    is_own = cls is not None and classes.is_of_own_object(read, scope)
    writes = classes.attribute_writes(analysis, cls, read.attr) if cls and is_own else ()
    found: list[str] = []
    for write in writes:
        if turn.place_before(write.scope) is None or write.value is None:
            break
        if not _only_combines(analysis, write.value, write.scope):
            break
        for use in used(write.value, write.scope, analysis, ast.unparse(read)):
            whole = structs.replace(use, as_object=use.as_object and not has_data)
            names = _followed(analysis, whole, turn)
            if names is None:
                return None
            found += names
    else:
        if writes:
            return tuple(found)
    return (ast.unparse(read),) if has_data else None


def _changes(analysis: Analysis, use: Use, turn: Turn) -> bool | list[Use]:
    """Whether turns change what a name holds; or on what other names that depends."""
    if use.scope is turn.start and use.name in _bound_by_comprehension(turn):
        return True
    owner = binder(use.name, use.scope)
    if owner is None:
        return False
    definitions = analysis.module_of(owner).flow(owner).all.get(use.name, [])
    if owner is use.scope:
        # A name of a comprehension, say, is another one.
        reaching = values.definitions_of(analysis, use.node, owner)
        definitions = [d for d in definitions if d in reaching] or definitions
    if owner is turn.start:
        if turn.loop is None:
            if owner.kind is ScopeKind.MODULE:
                return False
            inside = definitions
        else:
            inside = [d for d in definitions if id(turn.loop.node) in d.loops]
            inside += [d for d in definitions if d.node is turn.loop.node and d not in inside]
        return _inside(analysis, use, inside, turn)
    if turn.place_before(owner) is None:
        return False
    return _inside(analysis, use, definitions, turn)


def _bound_by_comprehension(turn: Turn) -> frozenset[str]:
    """The names of which a comprehension has its own, whatever they hold around it."""
    node = turn.loop.node if turn.loop is not None else None
    if not isinstance(node, COMPREHENSIONS):
        return frozenset()
    return frozenset(name for one in node.generators for name in tree.names_in(one.target))


def binder(name: str, reader: Scope) -> Scope | None:
    """The scope whose binding of a name the code of another sees."""
    scope: Scope | None = reader
    while scope is not None:
        is_seen = scope.kind is not ScopeKind.CLASS or scope is reader
        if is_seen and name in scope.bound and name not in scope.outer_names:
            return scope
        scope = scope.parent
    return None


def _inside(
    analysis: Analysis, use: Use, definitions: list[Definition], turn: Turn
) -> bool | list[Use]:
    """Whether bindings that run in each iteration bind something else each time."""
    following: list[Use] = []
    for definition in definitions:
        if definition.binding is Binding.IMPORTED:
            continue
        if turn.loop is None and use.as_object and looked_up.is_looked_up(analysis, definition):
            continue
        if definition.binding is Binding.FUNCTION:
            following += free(analysis, values.scope_of(analysis, definition), use.root)
        elif definition.binding is Binding.PARAMETER:
            answer = _passed(analysis, use, definition, turn)
            if isinstance(answer, bool):
                return answer
            following += answer
        elif (
            definition.binding is Binding.ASSIGNED
            and definition.value is not None
            and not definition.unpacking
            and _only_combines(analysis, definition.value, definition.scope)
        ):
            following += _with_root(analysis, definition.value, definition.scope, use)
        elif stateless.is_made(analysis, definition) and all(
            _only_combines(analysis, part, definition.scope)
            for part in stateless.made_of(definition)
        ):
            # Such an object belongs to the iteration as far as what it is made of does.
            for part in stateless.made_of(definition):
                for inner in used(part, definition.scope, analysis, use.root):
                    following.append(structs.replace(inner, picks=True))
        elif (use.as_object or use.picks) and (held := _gone_through(analysis, definition, turn)):
            # Its elements were there in the iteration before.
            following += used(held, definition.scope, analysis, use.root)
        else:
            return True
    return following


def _gone_through(analysis: Analysis, definition: Definition, turn: Turn) -> ast.expr | None:
    """What a loop within the iteration takes one element of after the other, if that has a name."""
    if definition.binding is not Binding.ITERATED or definition.value is None:
        return None
    if turn.loop is not None and definition.loops[-1:] == (id(turn.loop.node),):
        return None
    held, scope = definition.value, definition.scope
    if isinstance(held, ast.Call) and held.args:
        called = callgraph.external_names(values.evaluate(analysis, held.func, scope))
        if called == ("builtins.enumerate",):
            held = held.args[0]
        elif called == ("builtins.zip",) and definition.unpacking:
            held = next(iter(held.args[definition.unpacking[0] :]), held)
    held = elements.bare(analysis, held, scope)
    return held if isinstance(held, (ast.Name, ast.Attribute)) else None


def _with_root(analysis: Analysis, node: ast.expr, scope: Scope, use: Use) -> Iterator[Use]:
    """The names in what another name is bound to; objects only where that one is used as one."""
    index = node.slice if use.as_object and isinstance(node, ast.Subscript) else None
    picking = set(tree.names_in(index)) if index is not None else set()
    for inner in used(node, scope, analysis, use.root):
        yield structs.replace(
            inner,
            as_object=inner.as_object and use.as_object,
            picks=use.picks or inner.name in picking,
        )


def _only_combines(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether an expression makes functions and data out of its names, and nothing else."""
    pending: list[ast.AST] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, (ast.Await, ast.Yield, ast.YieldFrom)):
            return False
        if isinstance(part, ast.Call) and not _combines(analysis, part, scope):
            return False
        if not isinstance(part, ast.Lambda):
            pending.extend(tree.children(part))
    return True


def _combines(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    fact = callgraph.fact_of_call(analysis, call, scope)
    if fact is not None:
        return not fact.traits.isdisjoint(_COMBINING) and Trait.RANDOM not in fact.traits
    return looked_up.is_setting(call) or returns_new(analysis, call, scope)


def _passed(analysis: Analysis, use: Use, definition: Definition, turn: Turn) -> bool | list[Use]:
    """The names in what the call on the way passes for a parameter."""
    function = definition.scope
    place = turn.place_before(function)
    if place is None:
        # What a handler's own object holds is there before the request.
        is_own = use.name == classes.receiver_name(function)
        return turn.loop is None and not (is_own and classes.enclosing_class(function) is not None)
    for target, call in starters.runs(analysis, place):
        if target.function is not function:
            continue
        node = function.node
        assert not isinstance(node, (ast.Module, ast.ClassDef))
        positional = [*node.args.posonlyargs, *node.args.args]
        if target.shift and positional and positional[0].arg == use.name:
            if any(isinstance(t, ClassTerm) for t in callgraph.callee(analysis, place)):
                return True
            receiver = call.func
            if not isinstance(receiver, ast.Attribute):
                return list(used(receiver, place.scope, analysis, use.root))
            held = values.evaluate(analysis, receiver.value, place.scope)
            if any(isinstance(t, Object) and t.site is receiver.value for t in held):
                return True
            return list(used(receiver.value, place.scope, analysis, use.root))
        given = callgraph.bound_arguments(call, target).get(use.name)
        if given is None:
            return callgraph.has_unpacked_arguments(call)
        if not _only_combines(analysis, given, place.scope):
            return turn.loop is not None or not looked_up.is_entry(analysis, given, place.scope)
        return list(_with_root(analysis, given, place.scope, use))
    return True


def returns_new(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    """Whether a call is known to give a function that it has just made."""
    held = values.evaluate(analysis, call.func, scope)
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        return Trait.WRAPS_FUNCTION in fact.traits and Trait.MEMOIZES not in fact.traits
    if not held or any(isinstance(term, External) for term in held):
        return False
    given = values.evaluate(analysis, call, scope)
    return bool(given) and all(
        isinstance(term, FunctionTerm)
        and term.scope.parent is not None
        and term.scope.parent.kind is ScopeKind.FUNCTION
        for term in given
    )
