from tests.tools.made_up import project
from tools.measures.allowed_stores import AllowedStore, filter_allowed_stores
from tools.measures.foreign_stores import find_foreign_stores
from tools.measures.source_modules import list_modules


def test_an_allowance_holds_in_its_package_only_and_is_told_when_nothing_needs_it(tmp_path):
    source = project(tmp_path, low__a="x.a = 1", high__a="x.a = 1") / "src" / "navicache"
    allowed = (AllowedStore("low", "x.a", "needed"), AllowedStore("low", "x.b", "not needed"))
    refused, idle = filter_allowed_stores(
        (store for each in list_modules(source) for store in find_foreign_stores(each)), source, allowed
    )
    assert [each.path.parent.name for each in refused] == ["high"]
    assert idle == [allowed[1]]
