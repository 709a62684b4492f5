"""Rust: what files say, and exact sets of edges for what other tools get wrong."""

import hashlib

import pytest

from outline.conftest import check_orders, edges, loose, outline

CARGO = {"Cargo.toml": '[package]\nname = "my-app"\n[dependencies]\nserde-json = "1"\n'}


def graph(files, extra=CARGO):
    """Link sources."""
    return outline("rust", files, extra)


def test_chained_calls_and_wrapped_types():
    """Return types, `?`, unwrap, Box, Arc, Option, loops and closures all lead to the element."""
    linked = graph(
        {
            "src/lib.rs": """
use std::sync::Arc;
pub struct Db;
impl Db { pub fn open() -> Result<Self, String> { Err(String::new()) } pub fn table(&self) -> Option<Table> { None } }
pub struct Table { rows: Vec<Row> }
pub struct Row;
impl Row { fn touch(&self) {} }
fn a() -> Result<(), String> { let db = Db::open()?; db.table().unwrap().rows[0].touch(); Ok(()) }
fn b(db: Arc<Db>) { db.table(); }
fn c(t: &Table) { for row in &t.rows { row.touch(); } }
fn d(t: Box<Table>) { t.rows.iter().for_each(|row| row.touch()); }
fn e(o: Option<Row>) { if let Some(row) = o { row.touch(); } match o { Some(r) => r.touch(), None => {} } }
"""
        }
    )
    project = {one for one in edges(linked, "calls") if one[2].startswith("my_app")}
    assert project == {
        ("my_app::a", "calls", "my_app::Db::open", "type"),
        ("my_app::a", "calls", "my_app::Db::table", "type"),
        ("my_app::a", "calls", "my_app::Row::touch", "type"),
        ("my_app::b", "calls", "my_app::Db::table", "type"),
        ("my_app::c", "calls", "my_app::Row::touch", "type"),
        ("my_app::d", "calls", "my_app::Row::touch", "type"),
        ("my_app::e", "calls", "my_app::Row::touch", "type"),
    }
    assert loose(linked) == set()


def test_traits_dispatch_extend_and_implement():
    """A call on a type parameter or a trait object binds to the trait; on a known type to its impl."""
    linked = graph(
        {
            "src/lib.rs": """
pub trait Base { fn id(&self) -> u32 { 0 } }
pub trait Shape: Base { fn area(&self) -> f64; fn twice(&self) -> f64 { self.area() } }
pub struct Circle;
impl Base for Circle {}
impl Shape for Circle { fn area(&self) -> f64 { 1.0 } }
fn by_param<T: Shape>(t: &T) { t.area(); t.id(); }
fn by_where<T>(t: T) where T: Shape { t.area(); }
fn by_object(t: &dyn Shape, b: Box<dyn Shape>) { t.area(); b.twice(); }
fn by_type(c: Circle) { c.area(); c.id(); Shape::area(&c); <Circle as Shape>::area(&c); }
"""
        }
    )
    assert edges(linked, "calls", "extends", "implements") == {
        ("my_app::Shape", "extends", "my_app::Base", "module"),
        ("my_app::Circle", "implements", "my_app::Base", "module"),
        ("my_app::Circle", "implements", "my_app::Shape", "module"),
        ("my_app::Shape::twice", "calls", "my_app::Shape::area", "interface"),
        ("my_app::by_param", "calls", "my_app::Shape::area", "interface"),
        ("my_app::by_param", "calls", "my_app::Base::id", "interface"),
        ("my_app::by_where", "calls", "my_app::Shape::area", "interface"),
        ("my_app::by_object", "calls", "my_app::Shape::area", "interface"),
        ("my_app::by_object", "calls", "my_app::Shape::twice", "interface"),
        ("my_app::by_type", "calls", "<Circle as Shape>::area", "type"),
        ("my_app::by_type", "calls", "my_app::Base::id", "interface"),
        ("my_app::by_type", "calls", "my_app::Shape::area", "interface"),
    }
    assert loose(linked) == set()


MODULES = {
    "src/lib.rs": """
pub mod a;
mod b;
pub use b::Inner as Renamed;
pub use crate::b::deep::*;
mod inline { pub fn here() { super::a::go(); self::there(); } fn there() {} }
""",
    "src/a.rs": """
use crate::{b::{self, Inner}, Renamed};
use super::b::deep::far as near;
pub fn go() { b::free(); Inner::make(); Renamed::make(); near(); crate::far(); crate::inline::here(); }
""",
    "src/b/mod.rs": "pub mod deep;\npub struct Inner;\nimpl Inner { pub fn make() -> Inner { Inner } }\npub fn free() {}\n",
    "src/b/deep.rs": "pub fn far() { super::free(); }\n",
    "src/main.rs": "use my_app::a::go as start;\nuse std::collections::HashMap;\nuse serde_json::Value;\nfn main() { start(); }\n",
}


def test_modules_aliases_and_re_exports():
    """Paths lead through files, inline modules, aliases, groups, globs and `pub use`."""
    linked = graph(MODULES)
    assert edges(linked, "calls") == {
        ("my_app::a::go", "calls", "my_app::b::free", "import"),
        ("my_app::a::go", "calls", "my_app::b::Inner::make", "type"),
        ("my_app::a::go", "calls", "my_app::b::deep::far", "import"),
        ("my_app::a::go", "calls", "my_app::inline::here", "module"),
        ("my_app::inline::here", "calls", "my_app::a::go", "module"),
        ("my_app::inline::here", "calls", "my_app::inline::there", "module"),
        ("my_app::b::deep::far", "calls", "my_app::b::free", "module"),
        ("my_app::main", "calls", "my_app::a::go", "import"),
    }
    assert edges(linked, "imports") == {
        ("src/lib.rs", "imports", "my_app::b::Inner", "import"),
        ("src/lib.rs", "imports", "src/b/deep.rs", "import"),
        ("src/a.rs", "imports", "src/b/mod.rs", "import"),
        ("src/a.rs", "imports", "my_app::b::Inner", "import"),
        ("src/a.rs", "imports", "my_app::b::deep::far", "import"),
        ("src/main.rs", "imports", "my_app::a::go", "import"),
        ("src/main.rs", "imports", "std::collections::HashMap", "native"),
        ("src/main.rs", "imports", "serde_json::Value", "external"),
    }
    assert loose(linked) == set()


def test_statics_are_read_and_written_and_locals_shadow_them():
    """`+=` reads and writes; a local of the same name is neither; an initialiser belongs to the file."""
    linked = graph(
        {
            "src/lib.rs": """
static mut COUNT: u32 = start();
const LIMIT: u32 = 3;
struct Config;
impl Config { const SIZE: u32 = LIMIT; }
fn start() -> u32 { 0 }
fn bump() { unsafe { COUNT += LIMIT; COUNT = 1; } }
fn shadow(limit: u32) { let start = |x| x; start(limit); }
fn size() -> u32 { Config::SIZE }
"""
        }
    )
    assert edges(linked, "calls", "accesses", "assigns") == {
        ("src/lib.rs", "calls", "my_app::start", "module"),
        ("src/lib.rs", "accesses", "my_app::LIMIT", "module"),
        ("my_app::bump", "accesses", "my_app::COUNT", "module"),
        ("my_app::bump", "accesses", "my_app::LIMIT", "module"),
        ("my_app::bump", "assigns", "my_app::COUNT", "module"),
        ("my_app::size", "accesses", "my_app::Config::SIZE", "type"),
    }
    assert loose(linked) == set()


def test_struct_literals_and_variants_are_uses_only():
    """Making a struct or a variant calls nothing."""
    linked = graph(
        {
            "src/lib.rs": """
struct Point { x: i32 }
struct Pair(i32, i32);
enum Kind { Plain, With(Point) }
fn make() { let p = Point { x: 1 }; let q = Pair(1, 2); let k = Kind::With(p); let n = Kind::Plain; }
"""
        }
    )
    assert edges(linked, "calls") == set()
    assert edges(linked, "uses") == {
        ("my_app::make", "uses", "my_app::Point", "module"),
        ("my_app::make", "uses", "my_app::Pair", "module"),
        ("my_app::make", "uses", "my_app::Kind", "module"),
        ("my_app::Kind", "uses", "my_app::Point", "module"),
    }


def test_impl_blocks_in_other_files_and_declares():
    """A method belongs to its type wherever its impl block stands."""
    linked = graph(
        {
            "src/lib.rs": "mod more;\npub struct Engine;\nfn go(e: Engine) { e.run(); }\n",
            "src/more.rs": "use crate::Engine;\nimpl Engine { pub fn run(&self) { Self::check(); } fn check() {} }\n",
        }
    )
    assert edges(linked, "calls") == {
        ("my_app::go", "calls", "my_app::Engine::run", "type"),
        ("my_app::Engine::run", "calls", "my_app::Engine::check", "receiver"),
    }
    assert edges(linked, "declares") == {
        ("src/lib.rs", "declares", "src/more.rs", "module"),
        ("src/lib.rs", "declares", "my_app::Engine", "local"),
        ("src/lib.rs", "declares", "my_app::go", "local"),
        ("my_app::Engine", "declares", "my_app::Engine::run", "local"),
        ("my_app::Engine", "declares", "my_app::Engine::check", "local"),
    }


def test_macros_are_not_parsed_and_say_so():
    """A macro of the standard library is native, one of the file is found, and the rest is loose."""
    linked = graph(
        {
            "src/lib.rs": 'macro_rules! mine { () => {} }\nfn go() { println!("{}", hidden()); mine!(); strange!(); }\n'
        }
    )
    assert edges(linked, "calls") == {
        ("my_app::go", "calls", "println!", "native"),
        ("my_app::go", "calls", "my_app::mine!", "module"),
    }
    assert loose(linked) == {("calls", "strange!", 0)}
    assert linked.notes == ["the arguments of 3 macro calls were not parsed"]


def test_derived_traits_and_macros_of_opened_modules():
    """A derived `clone` keeps the type; `#[macro_use]` lets later modules see macros."""
    linked = graph(
        {
            "src/lib.rs": """
#[macro_use]
#[allow(unused)]
mod macros;
mod deep { pub fn go() { shout!(); } }
#[derive(Clone, Default, Serialize)]
struct Job;
impl Job { fn run(&self) {} }
fn twice(j: &Job) { j.clone().run(); Job::default().run(); }
""",
            "src/macros.rs": "macro_rules! shout { () => {} }\n",
        }
    )
    assert edges(linked, "calls", "implements") == {
        ("my_app::deep::go", "calls", "my_app::macros::shout!", "import"),
        ("my_app::Job", "implements", "std::clone::Clone", "native"),
        ("my_app::Job", "implements", "std::default::Default", "native"),
        ("my_app::twice", "calls", "std::clone::Clone::clone", "native"),
        ("my_app::twice", "calls", "std::default::Default::default", "native"),
        ("my_app::twice", "calls", "my_app::Job::run", "type"),
    }
    assert loose(linked) == {("implements", "derive(Serialize)", 0)}


def test_links_do_not_depend_on_the_order_of_files():
    """Every order gives the same graph."""
    check_orders("rust", MODULES, CARGO)


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 40,
    "broken": b"fn fn ( { impl for :: <<<< struct } use ; let = match",
    "half": b"impl Foo { fn bar(&self) -> { self. } struct X { a: , } use a::{b, ; fn q() { x.y(. }",
    "long line": b'fn main() { let x = "' + b"a" * 1_000_000 + b'"; }',
    "nested calls": b"fn f() { " + b"g(" * 5000 + b")" * 5000 + b" }",
    "nested types": b"fn f(x: " + b"Box<" * 3000 + b"u8" + b">" * 3000 + b") {}",
    "chain": b"fn f(x: X) { x" + b".y()" * 4000 + b"; }",
    "nested blocks": b"fn f() " + b"{" * 4000 + b"}" * 4000,
    "nested patterns": b"fn f() { let " + b"(" * 2000 + b"a" + b",)" * 2000 + b" = x; }",
    "cycle": b"use self::a as b; use self::b as a; pub use crate::*; fn f() { a(); b::c(); } type T = U; type U = T; fn g(t: T) { t.x(); }",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_never_raises(name):
    """Whatever the bytes, there are facts and a graph."""
    linked = graph(
        {"src/lib.rs": HOSTILE[name], "src/main.rs": "mod nothing;\nfn main() {}\n"},
        {"Cargo.toml": "not = [toml"},
    )
    assert "src/lib.rs#" in linked.nodes


def test_every_symbol_has_the_hash_of_its_body():
    """The body is the SHA-256 of the symbol's own bytes."""
    text = "fn a() {}\nfn b() { a(); }\n"
    linked = graph({"src/lib.rs": text})
    node = next(one for one in linked.nodes.values() if one.name == "my_app::b")
    assert node.body == hashlib.sha256(b"fn b() { a(); }").hexdigest()
    assert (node.kind, node.line, node.signature) == ("function", 2, "fn b()")


def test_constants_of_an_impl_see_its_type_and_its_type_parameters():
    """The initialiser of a constant belongs to the file, and is looked up in the impl."""
    linked = graph(
        {
            "src/lib.rs": """
pub trait Limit { const MAX: u32; }
pub struct Small;
impl Small { const BASE: u32 = 1; const TWICE: u32 = Self::BASE * 2; }
pub struct Pair<T>(T);
impl<T: Limit> Pair<T> { const BOTH: u32 = T::MAX; }
"""
        }
    )
    assert edges(linked, "accesses") == {
        ("src/lib.rs", "accesses", "my_app::Small::BASE", "receiver"),
        ("src/lib.rs", "accesses", "my_app::Limit::MAX", "type"),
    }
    assert loose(linked) == set()


TWO = """
struct A;
struct B;
impl A { fn go(&self) {} }
impl B { fn go(&self) {} }
"""


@pytest.mark.parametrize(
    ("body", "callee"),
    [
        ("fn f(t: (A, B)) { let (_, x) = t; x.go(); }", "B"),
        ("fn f(t: (A, B)) { let (/* a */ _, x) = t; x.go(); }", "B"),
        ("fn f(t: Vec<(A, B)>) { for &(_, ref x) in &t { x.go(); } }", "B"),
        ("struct P(A, B);\nfn f(p: P) { let P(_, x) = p; x.go(); }", "B"),
        ("enum E { Two(A, B) }\nfn f(e: E) { if let E::Two(_, x) = e { x.go(); } }", "B"),
        ("fn f(t: (B, A, A)) { let (x, ..) = t; x.go(); }", "B"),
        ("enum E { Ok(B), Other(A) }\nfn f(e: E) { match e { E::Ok(x) => x.go(), _ => {} } }", "B"),
        ("fn f(r: Result<A, B>) { r.err().unwrap().go(); }", "B"),
        ("fn f(r: Result<A, B>) { r.unwrap_err().go(); }", "B"),
        ("fn f(mut v: Vec<B>) { v.remove(0).go(); }", "B"),
        ("fn f(m: serde_json::Mutex<B>) { m.lock().go(); }", "B"),
        ("async fn f(m: serde_json::RwLock<B>) { m.read().await.go(); }", "B"),
        ("fn f(m: std::sync::Mutex<B>) { m.lock().unwrap().go(); }", "B"),
        ("fn f(c: std::cell::OnceCell<B>) { c.get().unwrap().go(); }", "B"),
        ("fn f(c: std::cell::OnceCell<B>) { c.get_or_init(|| B).go(); }", "B"),
        ("fn f(v: &[B]) { for (_, x) in v[1..].iter().enumerate() { x.go(); } }", "B"),
        ("fn f(v: &[B]) { for (i, x) in v.iter().enumerate() { x.go(); } }", "B"),
        ("fn f(t: (A, A, B)) { let (.., x) = t; x.go(); }", ""),  # counted from the end
        ("fn f(v: &[B]) { v[1..].go(); }", ""),
    ],
)
def test_places_in_patterns_and_results_of_the_library(body, callee):
    """A name has the type of its own place, and a call the type that the library gives."""
    found = {one[2:] for one in edges(graph({"src/lib.rs": TWO + body}), "calls")}
    project = {one for one in found if "my_app" in one[0]}
    assert project == ({(f"my_app::{callee}::go", "type")} if callee else set())


def test_the_guard_of_any_pattern_is_no_pattern():
    """`_ if f(x)` reads f and x, and binds neither."""
    linked = graph(
        {
            "src/lib.rs": "fn test(x: u8) -> bool { true }\n"
            "fn f(x: u8) { match x { _ if test(x) => {} _ => {} } }\n"
        }
    )
    assert edges(linked, "calls") == {("my_app::f", "calls", "my_app::test", "module")}
    assert loose(linked) == set()


def test_a_module_does_not_hide_a_function_of_its_name():
    """Modules and types are one space of names, functions another."""
    linked = graph(
        {
            "src/lib.rs": "mod parse;\npub use parse::parse;\nfn f() { parse(); crate::parse(); }\n",
            "src/parse.rs": "pub fn parse() {}\n",
            "src/main.rs": "use my_app::parse;\nfn main() { parse(); }\n",
        }
    )
    assert edges(linked, "calls") == {
        ("my_app::f", "calls", "my_app::parse::parse", "import"),
        ("my_app::main", "calls", "my_app::parse::parse", "import"),
    }
    assert loose(linked) == set()


def test_modules_of_the_library_hide_neither_primitives_nor_macros():
    """`use std::str` is a module, and `str` stays a type."""
    linked = graph(
        {
            "src/lib.rs": "use std::{env, str};\n"
            'fn f(s: &str) { s.len(); "x".len(); str::from_utf8(b"x"); env!("X"); env::args(); }\n'
        }
    )
    assert {one[2] for one in edges(linked, "calls")} == {
        "str::len",
        "std::str::from_utf8",
        "env!",
        "std::env::args",
    }


def test_functions_of_the_project_for_types_from_outside():
    """A path and a method find the impl block; functions of bytes and slices have their names."""
    linked = graph(
        {
            "src/lib.rs": """
use std::io;
trait Said { fn said(text: &str) -> Self; fn again(&self); }
impl Said for io::Error { fn said(text: &str) -> io::Error { io::Error::other(text) } fn again(&self) {} }
fn f() { io::Error::said("x").again(); }
fn g(a: std::sync::Arc<[u8]>, o: std::sync::Arc<Option<u8>>) { a.len(); o.as_ref(); }
"""
        }
    )
    assert edges(linked, "calls") == {
        ("<io::Error as Said>::said", "calls", "std::io::Error::other", "native"),
        ("my_app::f", "calls", "<io::Error as Said>::said", "type"),
        ("my_app::f", "calls", "<io::Error as Said>::again", "type"),
        ("my_app::g", "calls", "slice::len", "native"),
        ("my_app::g", "calls", "std::sync::Arc::as_ref", "native"),
    }


def test_a_dependency_under_another_name():
    """A manifest may rename a crate of the project."""
    linked = graph(
        {
            "app/src/main.rs": "use shop::buy;\nfn main() { buy(); }\n",
            "big-shop/src/lib.rs": "pub fn buy() {}\n",
        },
        {
            "app/Cargo.toml": '[package]\nname = "app"\n'
            '[dependencies]\nshop = { package = "big-shop", path = "../big-shop" }\n',
            "big-shop/Cargo.toml": '[package]\nname = "big-shop"\n',
        },
    )
    assert edges(linked, "calls") == {("app::main", "calls", "big_shop::buy", "import")}


def test_a_long_list_of_derived_traits():
    """The attribute may be longer than the text of a reference that is kept."""
    names = [f"Trait{number}" for number in range(40)]
    linked = graph({"src/lib.rs": f"#[derive({', '.join(names)}, Clone)]\nstruct A;\n"})
    assert {one.text for one in linked.loose} == {f"derive({name})" for name in names}
    assert edges(linked, "implements") == {
        ("my_app::A", "implements", "std::clone::Clone", "native")
    }
