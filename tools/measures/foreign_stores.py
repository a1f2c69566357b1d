"""Foreign stores: a function writes an attribute of an object that is neither `self` nor made by that function.

Seen are `x.a = 1`, `x.a += 1`, `del x.a`, `x.a[k] = 1`, `x.a.append(1)`, `setattr(x, "a", 1)`, and the same with
`self.x` for `x`. In-place methods of tensors (`x.a.copy_()`) are not.
"""

import ast
from collections.abc import Iterator

from tools.measures.source_modules import FUNCTION_NODES, SourceLocation, SourceModule

# These return nothing, so a call whose value is used is another method of the same name: Tensor.add, a pure update.
MUTATING_METHODS = {"append", "extend", "add", "update", "clear", "remove", "insert", "discard"}
RETURNING_MUTATORS = {"pop", "setdefault"}
SETTER_FUNCTIONS = {"setattr", "delattr"}
OWN_NAMES = {"self", "cls"}
COPY_FUNCTIONS = {"replace", "copy", "deepcopy"}


def find_foreign_stores(module: SourceModule) -> list[SourceLocation]:
    """The foreign stores of a module, each once for every line."""
    return sorted(
        SourceLocation(module.path, line, text)
        for line, text in _iterate_foreign_stores(module.tree, frozenset(OWN_NAMES))
    )


def _iterate_foreign_stores(scope: ast.AST, own: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The foreign stores in a scope, where the names `own` may be written to."""
    own |= _find_created_names(scope)
    for node in _iterate_scope_nodes(scope):
        for target in _iterate_written_attributes(node):
            if not _is_own(target.value, own):
                yield node.lineno, ast.unparse(target)
        if isinstance(node, FUNCTION_NODES):
            yield from _iterate_foreign_stores(node, own - _get_parameter_names(node))


def _iterate_scope_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a scope; of a function inside it, only the function itself."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, FUNCTION_NODES):
            yield from _iterate_scope_nodes(child)


def _iterate_written_attributes(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that a node writes to."""
    match node:
        case ast.Assign(targets=written) | ast.Delete(targets=written):
            places = written
        case ast.AugAssign(target=place) | ast.AnnAssign(target=place, value=ast.expr()) | ast.For(target=place):
            places = [place]
        case ast.withitem(optional_vars=ast.expr() as place):
            places = [place]
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name, value=place))) if name in MUTATING_METHODS:
            places = [place]
        case ast.Call(func=ast.Attribute(attr=name, value=place)) if name in RETURNING_MUTATORS:
            places = [place]
        case ast.Call(func=ast.Name(id=name), args=[owner, *_]) if name in SETTER_FUNCTIONS:
            places = [ast.Attribute(owner, f"<{name}>")]
        case _:
            return
    for place in places:
        yield from _iterate_attributes(place)


def _iterate_attributes(place: ast.expr) -> Iterator[ast.Attribute]:
    """`x.a` of `x.a`, of `x.a[k]`, and of each part of a tuple."""
    match place:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _iterate_attributes(part)
        case ast.Starred(value=inner) | ast.Subscript(value=inner):
            yield from _iterate_attributes(inner)
        case ast.Attribute():
            yield place


def _is_own(owner: ast.expr, own: frozenset[str]) -> bool:
    return _creates_object(owner) or (isinstance(owner, ast.Name) and owner.id in own)


def _find_created_names(scope: ast.AST) -> frozenset[str]:
    """The names that a scope binds to objects it has made."""
    names = set()
    for node in _iterate_scope_nodes(scope):
        match node:
            case ast.Assign(targets=targets, value=value):
                pairs = [pair for target in targets for pair in _pair_targets_with_values(target, value)]
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                pairs = [(target, value)]
            case ast.withitem(context_expr=value, optional_vars=ast.Name() as target):
                pairs = [(target, value)]
            case _:
                continue
        names |= {target.id for target, value in pairs if isinstance(target, ast.Name) and _creates_object(value)}
    return frozenset(names)


def _pair_targets_with_values(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Names and values of `a = x` and of `a, b = x, y`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _creates_object(value: ast.expr) -> bool:
    """Whether an expression is `Name(...)`, `Name.maker(...)`, `cls(...)`, `replace(...)` or `x.copy()`."""
    if not isinstance(value, ast.Call):
        return False
    match value.func:
        case ast.Name(id=name):
            return name == "cls" or name in COPY_FUNCTIONS or _is_class_name(name)
        case ast.Attribute(attr=name, value=owner):
            return (
                name in COPY_FUNCTIONS or _is_class_name(name) or _is_class_name(ast.unparse(owner).rsplit(".", 1)[-1])
            )
    return False


def _is_class_name(name: str) -> bool:
    return name.isidentifier() and name.lstrip("_")[:1].isupper()


def _get_parameter_names(function: ast.AST) -> frozenset[str]:
    """Its parameters' names, which hide those of the scope around; `self` stays the method's own."""
    return frozenset(each.arg for each in ast.walk(function) if isinstance(each, ast.arg)) - OWN_NAMES
