from pathlib import Path

import pytest
from tests.tools.made_up import module
from tools.measures.foreign_stores import find_foreign_stores


def stored(tmp_path: Path, text: str) -> list[str]:
    return [each.text for each in find_foreign_stores(module(tmp_path, text))]


@pytest.mark.parametrize(
    "store",
    [
        "x.a = 1",
        "x.a += 1",
        "x.a: int = 1",
        "del x.a",
        "x.a[0] = 1",
        "x.a[0][1] = 1",
        "x.a.append(1)",
        "x.a[0].update(b=1)",
        "y = x.a.pop()",
        "x.a.setdefault(1, [])",
        "y, x.a = 1, 2",
        "for x.a in (1, 2): pass",
        "self.x.a = 1",
        "self.x[0].a = 1",
        "self.x.a.add(1)",
        "self.find().a = 1",
        "y = x; y.a = 1",
        "setattr(x, 'a', 1)",
        "Kind.a = 1",
    ],
)
def test_a_store_on_another_object_is_foreign(tmp_path, store):
    assert len(stored(tmp_path, f"class A:\n    def f(self, x):\n        {store}\n")) == 1


@pytest.mark.parametrize(
    "store",
    [
        "self.a = 1",
        "self.a[0] = 1",
        "self.a.append(1)",
        "cls.a = 1",
        "x = 1",
        "x[0] = 1",
        "x.append(1)",
        "x.a.copy_(1)",
        "y = x.a.add(1)",
        "x.a: int",
        "y = Kind(); y.a = 1",
        "y = Kind.read(x); y.a.append(1)",
        "y = module.Kind(); y.a = 1",
        "y = cls(); y.a = 1",
        "y = replace(x, b=2); y.a = 1",
        "y = x.copy(); y.a = 1",
        "y, z = Kind(), x; y.a = 1",
        "with Kind() as y: y.a = 1",
    ],
)
def test_a_store_on_itself_or_on_what_it_has_made_is_not(tmp_path, store):
    assert stored(tmp_path, f"class A:\n    def f(self, cls, x):\n        {store}\n") == []


def test_what_the_function_around_has_made_stays_its_own_but_a_parameter_hides_it(tmp_path):
    text = """
    def outer():
        y = Kind()
        def inner():
            y.a = 1
        def other(y):
            y.b = 1
    """
    assert stored(tmp_path, text) == ["y.b"]
