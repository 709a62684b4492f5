"""Which symbols an outline of a file or of a project shows on their own"""

from pathlib import Path

import pytest

from ghostmem import Ghost

GO = """\
package shop

import "io"

type Base struct{ io.Closer }

type Cart struct {
	items []string
}

func (c *Cart) Add(item string) { c.items = append(c.items, item); log(item) }

func (c *Cart) Close() error { return nil }

func log(text string) {}
"""
PYTHON = """\
LIMIT = 3


class Cart:
    rate = 2

    def add(self):
        def inner():
            return Cart.rate

        return inner()
"""
RUBY = """\
module Shop
  class Cart
    def add; end
  end
end
"""
RUST = """\
pub mod shop {
    pub fn add() { check() }
    fn check() {}
}
"""


def roots(ghost: Ghost, root: Path, **options: object) -> list[str]:
    """Return the names of the symbols shown on their own, with their kinds."""
    made = ghost.outline.project(root=root, **options)  # type: ignore[arg-type]
    return [f"{match['name']} {match['kind']}" for match in made.data["matches"]]


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        (
            "shop.go",
            GO,
            "shop.Base type, shop.Cart type, shop.(*Cart).Add method, shop.(*Cart).Close method, shop.log function",
        ),
        (
            "shop.py",
            PYTHON,
            "shop.LIMIT constant, shop.Cart type, shop.Cart.rate field, shop.Cart.add method, shop.Cart.add.inner function",
        ),
        ("shop.rb", RUBY, "Shop module, Shop::Cart type, Shop::Cart#add method"),
        (
            "src/lib.rs",
            RUST,
            "crate::shop module, crate::shop::add function, crate::shop::check function",
        ),
    ],
)
def test_methods_and_inner_symbols_are_roots(
    tmp_path: Path, name: str, source: str, expected: str
) -> None:
    """Methods, nested functions and types stand alone; a field only where something relates to it."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(source, encoding="utf-8")
    with Ghost.open(":memory:") as ghost:
        assert roots(ghost, tmp_path) == expected.split(", ")


def test_a_method_keeps_its_relations_at_depth_one(tmp_path: Path) -> None:
    """Filtered to calls, the calls of methods are there, in a file and in a project."""
    (tmp_path / "shop.go").write_text(GO, encoding="utf-8")
    with Ghost.open(":memory:") as ghost:
        for made in (
            ghost.outline.project(root=tmp_path, depth=1, relations=["calls"]),
            ghost.outline.file("shop.go", root=tmp_path, depth=1, relations=["calls"]),
        ):
            method = next(one for one in made.data["matches"] if one["name"] == "shop.(*Cart).Add")
            called = [one["node"]["name"] for one in method["relations"]["calls"]]
            assert called == ["append", "shop.log"]


def test_places_and_kinds_outside(tmp_path: Path) -> None:
    """A package is a folder without a line, and a native interface is no plain type."""
    (tmp_path / "go.mod").write_text("module example.org/shop\n", encoding="utf-8")
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "shop.go").write_text(GO, encoding="utf-8")
    with Ghost.open(":memory:") as ghost:
        package = ghost.outline.symbol("example.org/shop/store", root=tmp_path, depth=0).text
        assert package.startswith("example.org/shop/store  module  store\n")
        base = ghost.outline.symbol("Base", root=tmp_path, depth=1).text
        assert "io.Closer  interface  (native)" in base


def test_headers_follow_the_sources(tmp_path: Path) -> None:
    """A header is C++ among C++ sources, and C otherwise."""
    (tmp_path / "a.h").write_text("int f(void);\n", encoding="utf-8")
    (tmp_path / "a.cpp").write_text("int f() { return 1; }\n", encoding="utf-8")
    with Ghost.open(":memory:") as ghost:
        assert ghost.outline.file("a.h", root=tmp_path).data["language"] == "cpp"
        assert ghost.outline.project(root=tmp_path).data["language"] == "cpp"
        (tmp_path / "b.c").write_text("int g(void) { return 1; }\n", encoding="utf-8")
        assert ghost.outline.file("a.h", root=tmp_path).data["language"] == "c"
        assert ghost.outline.project(root=tmp_path).data["languages"] == ["c", "cpp"]
        assert ghost.outline.file("a.h", language="c++", root=tmp_path).data["language"] == "cpp"
