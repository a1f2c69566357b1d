from tests.tools.made_up import project
from tools.measures.allowed import Allowed, sift
from tools.measures.sources import modules_of
from tools.measures.stores import foreign_stores


def test_an_allowance_holds_in_its_package_only_and_is_told_when_nothing_needs_it(tmp_path):
    source = project(tmp_path, low__a="x.a = 1", high__a="x.a = 1") / "src" / "navicache"
    allowed = (Allowed("low", "x.a", "needed"), Allowed("low", "x.b", "not needed"))
    refused, idle = sift((store for each in modules_of(source) for store in foreign_stores(each)), source, allowed)
    assert [each.path.parent.name for each in refused] == ["high"]
    assert idle == [allowed[1]]
