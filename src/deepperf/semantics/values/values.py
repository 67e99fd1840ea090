"""What an expression holds: evaluated on demand, following names, attributes and calls."""

from __future__ import annotations

import ast

from deepperf.semantics.calls import results
from deepperf.semantics.files import stars
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.flow import Binding, Definition, Definitions
from deepperf.semantics.names.scopes import COMPREHENSIONS, Scope, ScopeKind
from deepperf.semantics.text.tree import Getter, Product, Setter
from deepperf.semantics.values import (
    applications,
    classes,
    elements,
    given,
    operators,
    products,
    terms,
    told,
)
from deepperf.semantics.values.terms import (
    UNKNOWN,
    ClassTerm,
    Display,
    External,
    FunctionTerm,
    Generated,
    Instance,
    Literal,
    Method,
    ModuleTerm,
    Object,
    Term,
    Value,
    literal,
    union,
)

ARRAY_TYPES = terms.ARRAY_TYPES
_MODULE, _PARAMETER = "torch.nn.Module", "torch.nn.Parameter"


def evaluate(analysis: Analysis, node: ast.expr, scope: Scope) -> Value:
    """The terms that `node`, an expression standing in `scope`, may hold."""
    kind = type(node)
    if kind is ast.Constant:
        return (literal(node.value),)  # type: ignore[attr-defined]
    known: Value | None = analysis.answered(node)  # far more often than anything else
    if known is not None:
        return known
    # What goes round in a circle mostly has a name.
    ask = analysis.settle if kind is ast.Name else analysis.remember
    return ask(node, lambda: _evaluate(analysis, node, scope), ())


def _evaluate(analysis: Analysis, node: ast.expr, scope: Scope) -> Value:
    if type(node) is ast.Name:
        return _name_value(analysis, node, scope)
    if isinstance(node, ast.Attribute):
        return _attribute_value(analysis, node, scope)
    if isinstance(node, ast.Call):
        return results.call_value(analysis, node, scope)
    if isinstance(node, ast.Lambda):
        return (FunctionTerm(analysis.module_of(scope).scopes.by_node[id(node)]),)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict, *COMPREHENSIONS)):
        return (Display(node, scope),)
    if isinstance(node, ast.BinOp):
        return operators.operation(analysis, node, (node.left, node.right), scope)
    if isinstance(node, ast.UnaryOp):
        return operators.operation(analysis, node, (node.operand,), scope)
    if isinstance(node, ast.Compare):
        return operators.operation(analysis, node, (node.left, *node.comparators), scope)
    if isinstance(node, ast.IfExp):
        return union(evaluate(analysis, node.body, scope), evaluate(analysis, node.orelse, scope))
    if isinstance(node, ast.BoolOp):
        return union(*(evaluate(analysis, value, scope) for value in node.values))
    if isinstance(node, (ast.NamedExpr, ast.Await, ast.Starred)):
        return evaluate(analysis, node.value, scope)
    if isinstance(node, ast.Subscript):
        return elements.item_value(analysis, node, scope)
    if isinstance(node, (ast.JoinedStr, ast.FormattedValue)):
        return (Instance("builtins.str", node, scope),)
    return (UNKNOWN,)


# Names


def definitions_of(analysis: Analysis, node: ast.Name, scope: Scope) -> Definitions:
    """The bindings that a use of a name may see; empty for names bound nowhere we see."""
    name = node.id
    # The flow of a scope is found only where the name may be bound in it.
    if name in scope.bound or name in scope.comprehended:
        found = analysis.module_of(scope).flow(scope).uses.get(id(node))
        if found:
            return found
    is_local = name in scope.bound and name not in scope.outer_names
    if is_local and scope.kind is not ScopeKind.MODULE:
        return ()
    return outer_definitions(analysis, node.id, scope)


def outer_definitions(analysis: Analysis, name: str, scope: Scope) -> Definitions:
    """The bindings of a name that `scope` does not bind, in the scopes around it."""
    outer = scope.parent
    module = analysis.module_of(scope)
    while outer is not None:
        if outer.kind is ScopeKind.FUNCTION and name in outer.bound:
            return tuple(module.flow(outer).all.get(name, ()))
        if outer.kind is ScopeKind.MODULE:
            return module_definitions(analysis, outer, name)
        outer = outer.parent
    if scope.kind is ScopeKind.MODULE:
        return module_definitions(analysis, scope, name)
    return ()


def module_definitions(analysis: Analysis, module_scope: Scope, name: str) -> Definitions:
    """What a module-level name is bound to when the module has run, and by `global`."""
    module = analysis.module_of(module_scope)
    is_bound = name in module_scope.bound
    found = module.flow(module_scope).exit.get(name, ()) if is_bound else ()
    declared = [
        definition
        for scope in module.scopes.declaring
        if name in scope.outer_names
        for definition in module.flow(scope).all.get(name, ())
    ]
    return (*found, *declared) if declared else found


def _name_value(analysis: Analysis, node: ast.Name, scope: Scope) -> Value:
    definitions = definitions_of(analysis, node, scope)
    if len(definitions) == 1:
        return definition_value(analysis, definitions[0])
    if definitions:
        return union(*[definition_value(analysis, d) for d in definitions[:8]])
    if node.id in scope.bound and node.id not in scope.outer_names:
        return (UNKNOWN,)
    root = scope
    while root.parent is not None:
        root = root.parent
    starred = _star_value(analysis, root, node.id)
    if starred:
        return starred
    builtin = analysis.knowledge.canonical(f"builtins.{node.id}")
    if analysis.knowledge.fact(builtin) or analysis.knowledge.type(builtin):
        return (External(builtin),)
    return (UNKNOWN,)


def _star_value(analysis: Analysis, root: Scope, name: str) -> Value:
    if name.startswith("_"):
        return ()
    for star in root.star_imports:
        dotted = "." * star.level + (star.module or "")
        path = analysis.project.find(dotted, root.module_path)
        if path is not None:
            found = _starred(analysis, path, name)
            if found:
                return found
        elif not star.level and analysis.knowledge.fact(
            canonical := analysis.knowledge.canonical(f"{dotted}.{name}")
        ):
            return (External(canonical),)
    return ()


def _starred(analysis: Analysis, path: str, name: str) -> Value:
    nothing: Value = ()

    def find() -> Value:
        # What the texts say must stay true for the answer to stay.
        analysis.touched.update(stars.star_sources(analysis.project, path) - {analysis.path})
        if not stars.may_give(analysis.project, path, name):
            return nothing
        return module_attribute(analysis, path, name)

    return analysis.remember(("star", path, name), find, nothing)


def definition_value(analysis: Analysis, definition: Definition) -> Value:
    """What a binding gives its name."""
    known: Value | None = analysis.answered(definition)
    if known is not None:
        return known
    return analysis.remember(definition, lambda: _definition_value(analysis, definition), ())


def _definition_value(analysis: Analysis, definition: Definition) -> Value:
    binding, node, scope = definition.binding, definition.node, definition.scope
    if binding is Binding.ASSIGNED and definition.value is not None:
        held = evaluate(analysis, definition.value, scope)
        return elements.unpack(analysis, held, definition.unpacking)
    if binding is Binding.ITERATED and definition.value is not None:
        return elements.iterated(analysis, definition.value, scope, definition.unpacking)
    if binding is Binding.PARAMETER:
        return given.parameter_value(analysis, definition)
    if binding is Binding.IMPORTED:
        return _imported(analysis, definition)
    if binding is Binding.FUNCTION:
        return (FunctionTerm(scope_of(analysis, definition)),)
    if binding is Binding.CLASS:
        return (ClassTerm(scope_of(analysis, definition)),)
    if binding is Binding.ENTERED and definition.value is not None:
        held = evaluate(analysis, definition.value, scope)
        return elements.unpack(analysis, _entered(analysis, held), definition.unpacking)
    if binding is Binding.AUGMENTED and isinstance(node, ast.AugAssign):
        return _augmented(analysis, node, scope)
    return (UNKNOWN,)


def scope_of(analysis: Analysis, definition: Definition) -> Scope:
    return analysis.module_of(definition.scope).scopes.by_node[id(definition.node)]


def _entered(analysis: Analysis, held: Value) -> Value:
    """What `with held as name` binds."""
    found: list[Value] = []
    for term in held:
        if isinstance(term, Generated):
            found.append(yielded(analysis, term.scope))
        elif isinstance(term, Object):
            enter = classes.method_of(analysis, term.cls, "__enter__")
            found.append(returned(analysis, enter) if isinstance(enter, Scope) else (term,))
        else:
            found.append((term,))
    return union(*found) if found else ()


def _augmented(analysis: Analysis, node: ast.AugAssign, scope: Scope) -> Value:
    before = analysis.module_of(scope).flow(scope).uses.get(id(node), ())
    operands = [definition_value(analysis, d) for d in before]
    operands.append(evaluate(analysis, node.value, scope))
    return operators.array_of(union(*operands), node.value, scope)


def _imported(analysis: Analysis, definition: Definition) -> Value:
    alias, scope = definition.node, definition.scope
    assert isinstance(alias, ast.alias)
    statement = _import_statement(analysis, alias, scope)
    if isinstance(statement, ast.Import):
        dotted = alias.name if alias.asname else alias.name.partition(".")[0]
        return (_module_term(analysis, dotted, scope.module_path),)
    dotted = "." * statement.level + (statement.module or "")
    separator = "" if dotted.endswith(".") else "."
    path = analysis.project.find(dotted, scope.module_path)
    if path is not None and path != scope.module_path:
        found = module_attribute(analysis, path, alias.name)
        if found:
            return found
    submodule = analysis.project.find(f"{dotted}{separator}{alias.name}", scope.module_path)
    if submodule is not None:
        return (ModuleTerm(submodule),)
    if path is not None or statement.level:
        return (UNKNOWN,)
    return (External(analysis.knowledge.imported(dotted, alias.name)),)


def _import_statement(
    analysis: Analysis, alias: ast.alias, scope: Scope
) -> ast.Import | ast.ImportFrom:
    return analysis.module_of(scope).scopes.imports[id(alias)]


def _module_term(analysis: Analysis, dotted: str, importer: str) -> Term:
    path = analysis.project.find(dotted, importer)
    if path is not None:
        return ModuleTerm(path)
    return External(analysis.knowledge.canonical(dotted))


def module_attribute(analysis: Analysis, path: str, name: str) -> Value:
    """What a module of the project binds to a name; a submodule if it binds nothing."""
    module = analysis.module(path)
    root = module.scopes.module
    definitions = module_definitions(analysis, root, name)
    if definitions:
        return union(*(definition_value(analysis, d) for d in definitions[:8]))
    if path.endswith("/__init__.py"):
        submodule = analysis.project.find(f".{name}", path)
        if submodule is not None:
            return (ModuleTerm(submodule),)
    return _star_value(analysis, root, name)


# Attributes


def _attribute_value(analysis: Analysis, node: ast.Attribute, scope: Scope) -> Value:
    held = evaluate(analysis, node.value, scope)
    if isinstance(node, (Getter, Setter)):
        return classes.accessors(analysis, held, node) or (UNKNOWN,)
    if isinstance(node, Product) and held == (UNKNOWN,):
        return products.multiplier(analysis, node, scope)
    found = [attribute_of(analysis, term, node, scope) for term in held]
    if len(found) == 1 and found[0] != (UNKNOWN,) and not applications.is_asked(found[0]):
        return found[0]
    is_unknown = all(part == (UNKNOWN,) for part in found)
    method = told.method(analysis, node, scope) if is_unknown else None
    if method is not None:
        receiver = Instance(method.rpartition(".")[0], node.value, scope)
        return (Method(External(method), receiver),)
    if all(part == (UNKNOWN,) or applications.is_asked(part) for part in found):
        kept = applications.kept(analysis, node)
        found = [kept] if kept else found
    return union(*found) if found else (UNKNOWN,)


def attribute_of(analysis: Analysis, term: Term, node: ast.Attribute, scope: Scope) -> Value:
    name = node.attr
    if isinstance(term, External):
        whole = analysis.knowledge.canonical(f"{term.name}.{name}")
        # A method read from a class may be that of a class it inherits from.
        is_known = analysis.knowledge.fact(whole) or not analysis.knowledge.type(term.name)
        inherited = None if is_known else analysis.knowledge.method(term.name, name)
        return (External(inherited or whole),)
    if isinstance(term, ModuleTerm):
        return module_attribute(analysis, term.path, name) or (UNKNOWN,)
    if isinstance(term, (Object, ClassTerm)):
        cls = term.cls if isinstance(term, Object) else term.scope
        found = classes.class_attribute(analysis, cls, name, term)
        if scope.name != "__init__" and classes.is_replaced(analysis, cls, name, found):
            found = tuple(t for t in found if not isinstance(t, Method)) or (UNKNOWN,)
        return found or (UNKNOWN,)
    if isinstance(term, Instance) and term.type:
        method = analysis.knowledge.method(term.type, name)
        if method is not None:
            return (Method(External(method), term),)
        array = "torch.Tensor" if term.type == _PARAMETER else term.type
        if name in ("T", "data", "real", "imag", "grad") and array in ARRAY_TYPES:
            return (Instance(array, node, scope),)
        if name in ("weight", "bias") and _MODULE in analysis.knowledge.ancestry(term.type)[1:]:
            return (Instance(_PARAMETER, node, scope),)
    if isinstance(term, Display):
        kind = {ast.Dict: "dict", ast.DictComp: "dict", ast.Tuple: "tuple", ast.Set: "set"}
        type_name = f"builtins.{kind.get(type(term.node), 'list')}"
        if analysis.knowledge.fact(f"{type_name}.{name}"):
            receiver = Instance(type_name, term.node, term.scope)
            return (Method(External(f"{type_name}.{name}"), receiver),)
    if isinstance(term, Literal) and isinstance(term.value, str):
        return (Method(External(f"builtins.str.{name}"), Instance("builtins.str", None, scope)),)
    return (UNKNOWN,)


# Functions


def returned(analysis: Analysis, function: Scope) -> Value:
    """What calling a function gives, whatever its arguments."""
    return analysis.remember(("returned", function), lambda: _returned(analysis, function), ())


def _returned(analysis: Analysis, function: Scope) -> Value:
    analysis.module_of(function)
    if function.yields:
        return (Generated(function),)
    found = [evaluate(analysis, node, function) for node in function.returns[:8]]
    return union(*found) if found else (literal(None),)


def yielded(analysis: Analysis, function: Scope) -> Value:
    """What a generator function's elements may be."""
    found = [evaluate(analysis, node, function) for node in function.yields[:8] if node is not None]
    return union(*found) if found else (UNKNOWN,)
