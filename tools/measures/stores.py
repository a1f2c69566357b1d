"""Foreign stores: a function writes an attribute of an object that is neither `self` nor made by that function.

Seen are `x.a = 1`, `x.a += 1`, `del x.a`, `x.a[k] = 1`, `x.a.append(1)`, `setattr(x, "a", 1)`, and the same with
`self.x` for `x`. In-place methods of tensors (`x.a.copy_()`) are not.
"""

import ast
from collections.abc import Iterator

from tools.measures.sources import FUNCTIONS, Found, Module

# These return nothing, so a call whose value is used is another method of the same name: Tensor.add, a pure update.
SILENT = {"append", "extend", "add", "update", "clear", "remove", "insert", "discard"}
ANSWERING = {"pop", "setdefault"}
SETTERS = {"setattr", "delattr"}
OWN = {"self", "cls"}
COPIES = {"replace", "copy", "deepcopy"}


def foreign_stores(module: Module) -> list[Found]:
    """The foreign stores of a module, each once for every line."""
    return sorted(Found(module.path, line, text) for line, text in _stores(module.tree, frozenset(OWN)))


def _stores(scope: ast.AST, own: frozenset[str]) -> Iterator[tuple[int, str]]:
    """The foreign stores in a scope, where the names `own` may be written to."""
    own |= _made(scope)
    for node in _inside(scope):
        for target in _targets(node):
            if not _is_own(target.value, own):
                yield node.lineno, ast.unparse(target)
        if isinstance(node, FUNCTIONS):
            yield from _stores(node, own - _parameters(node))


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a scope; of a function inside it, only the function itself."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, FUNCTIONS):
            yield from _inside(child)


def _targets(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that a node writes to."""
    match node:
        case ast.Assign(targets=written) | ast.Delete(targets=written):
            places = written
        case ast.AugAssign(target=place) | ast.AnnAssign(target=place, value=ast.expr()) | ast.For(target=place):
            places = [place]
        case ast.withitem(optional_vars=ast.expr() as place):
            places = [place]
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name, value=place))) if name in SILENT:
            places = [place]
        case ast.Call(func=ast.Attribute(attr=name, value=place)) if name in ANSWERING:
            places = [place]
        case ast.Call(func=ast.Name(id=name), args=[owner, *_]) if name in SETTERS:
            places = [ast.Attribute(owner, f"<{name}>")]
        case _:
            return
    for place in places:
        yield from _attributes(place)


def _attributes(place: ast.expr) -> Iterator[ast.Attribute]:
    """`x.a` of `x.a`, of `x.a[k]`, and of each part of a tuple."""
    match place:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            for part in parts:
                yield from _attributes(part)
        case ast.Starred(value=inner) | ast.Subscript(value=inner):
            yield from _attributes(inner)
        case ast.Attribute():
            yield place


def _is_own(owner: ast.expr, own: frozenset[str]) -> bool:
    return _makes(owner) or (isinstance(owner, ast.Name) and owner.id in own)


def _made(scope: ast.AST) -> frozenset[str]:
    """The names that a scope binds to objects it has made."""
    names = set()
    for node in _inside(scope):
        match node:
            case ast.Assign(targets=targets, value=value):
                pairs = [pair for target in targets for pair in _pairs(target, value)]
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                pairs = [(target, value)]
            case ast.withitem(context_expr=value, optional_vars=ast.Name() as target):
                pairs = [(target, value)]
            case _:
                continue
        names |= {target.id for target, value in pairs if isinstance(target, ast.Name) and _makes(value)}
    return frozenset(names)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Names and values of `a = x` and of `a, b = x, y`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        yield from zip(target.elts, value.elts, strict=True)
    else:
        yield target, value


def _makes(value: ast.expr) -> bool:
    """Whether an expression is `Name(...)`, `Name.maker(...)`, `cls(...)`, `replace(...)` or `x.copy()`."""
    if not isinstance(value, ast.Call):
        return False
    match value.func:
        case ast.Name(id=name):
            return name == "cls" or name in COPIES or _is_class(name)
        case ast.Attribute(attr=name, value=owner):
            return name in COPIES or _is_class(name) or _is_class(ast.unparse(owner).rsplit(".", 1)[-1])
    return False


def _is_class(name: str) -> bool:
    return name.isidentifier() and name.lstrip("_")[:1].isupper()


def _parameters(function: ast.AST) -> frozenset[str]:
    """Its parameters' names, which hide those of the scope around; `self` stays the method's own."""
    return frozenset(each.arg for each in ast.walk(function) if isinstance(each, ast.arg)) - OWN
