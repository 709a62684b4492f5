"""What a language does that needs more than a case of test_cases.py: made or broken sources, and what holds for all"""

import gc
import hashlib
import sys

import pytest

from ghostmem.outline.languages.go import LANGUAGE as GO
from ghostmem.outline.languages.table import SUFFIXES
from outline.conftest import CASES, check_whole, edge_lines, edges, facts_of, outline

CARGO = {"Cargo.toml": '[package]\nname = "my-app"\n[dependencies]\nserde-json = "1"\n'}

# the paths that a broken source is given, and the files beside it
PATHS = {
    "python": ["m.py"],
    "go": ["a.go"],
    "ecma": ["self.js", "self.ts", "self.tsx"],
    "rust": ["src/lib.rs"],
    "java": ["a.java"],
    "cpp": ["a.cpp"],
    "c": ["a.c"],
}
BESIDE = {
    "src/lib.rs": {"src/main.rs": "mod nothing;\nfn main() {}\n"},
    "a.cpp": {"b.cpp": '#include "a.cpp"\n'},
    "a.c": {"b.c": '#include "a.c"\n'},
}
# by language and name; test_hostile.py has the contents and nestings that every language is given
BROKEN = {
    ("python", "mark"): b"\xef\xbb\xbfdef f(): f()\n",
    ("python", "errors"): b"def f(:\n  class\n)\n@\nx = = 3\nimport\nfrom . import\n",
    ("python", "tabs"): b"def f():\n\tif x:\n\t\tf()\n        g()\n",
    (
        "python",
        "stars",
    ): b"def f(*, a, **k): ...\nlambda: (yield)\nprint(*a, **b)\nx: int\ndel x, y[0]\nglobal q\nnonlocal r\n",
    (
        "python",
        "match",
    ): b"match x:\n    case [A(b=c), *d] | {'k': e, **f} if g: pass\n    case 1 | None | a.b as z: pass\n    case _: pass\n",
    (
        "python",
        "type parameters",
    ): b"type X[T: int] = list[T]\ndef f[T, *Ts, **P](x: T) -> X[T]: ...\nclass C[T](B[T], metaclass=M): ...\n",
    (
        "python",
        "bases",
    ): b"class A(A.B, *bases, **kw): ...\nclass B(A): pass\nclass A(B): pass\nA().x.y.z()\n",
    (
        "python",
        "except",
    ): b"try:\n    pass\nexcept* (A, B) as e:\n    e.x()\nelse:\n    pass\nfinally:\n    pass\n",
    (
        "python",
        "imports",
    ): b"from __future__ import annotations\nfrom m import *\nfrom .m import m\nimport m.m.m as m\n",
    (
        "python",
        "strings",
    ): b'def f(a: "not a type(", b: "", c: "x" "y") -> "[": f("{")\nf"{f"{f()!r:>{w}}"}"\n',
    (
        "python",
        "targets",
    ): b"x = y = z = x\n(a, (b, *c)), d[0], e.f = x\nfor a.b in c: pass\nwith a as b.c, d as (e, f): pass\n",
    (
        "go",
        "syntax errors",
    ): b"package a\nfunc f( { x. ; type T struct { func\n var = = 3\nfunc (t *) M() {}\nimport (\n",
    ("go", "half a file"): b"package a\nfunc f() { g(x.(type), [",
    ("go", "half a struct"): b"package a\nvar x = struct { A; *",
    ("go", "half an interface"): b"interface { A; B",
    (
        "go",
        "cycles",
    ): b"package a\ntype A B\ntype B A\ntype C = C\ntype D struct { D }\nvar x = y\nvar y = x\n"
    b"type G[X G[X]] interface{ G[X] }\nfunc f(a A, c C, d D, g G[int]) { a.M(); c.M(); d.M(); g.M(); x.M() }\n",
    (
        "go",
        "a function of itself",
    ): b"package a\nfunc f(x f) f { return f(x) }\nfunc g(x h) {}\nfunc h(x g) {}\n",
    ("go", "odd names"): "package ü\ntype Ä struct{ é int }\nfunc (ä *Ä) Ö() { ä.Ö() }\n".encode(),
    ("ecma", "broken"): b"class { function ( => import from export * as ; x = {a: [1, 2 } `${",
    ("ecma", "objects"): b"x = " + b"{a: " * 1500 + b"1" + b"}" * 1500,
    (
        "ecma",
        "cycle",
    ): b"class A extends B {} class B extends A { f() { this.g(); super.h(); } } const a = b, b = a; a.x(); b();",
    (
        "ecma",
        "types",
    ): b"type A = B; type B = A; let x: A; x.y(); type C<T> = C<C<T>>; let z: C<A>; z.q();",
    ("ecma", "this"): b"export function f() { this.g(); this.x = this.y; }",
    (
        "ecma",
        "self",
    ): b"export * from './self'; export { x } from './self'; import { x } from './self'; x();",
    ("rust", "broken"): b"fn fn ( { impl for :: <<<< struct } use ; let = match",
    (
        "rust",
        "half",
    ): b"impl Foo { fn bar(&self) -> { self. } struct X { a: , } use a::{b, ; fn q() { x.y(. }",
    ("rust", "nested patterns"): b"fn f() { let " + b"(" * 2000 + b"a" + b",)" * 2000 + b" = x; }",
    (
        "rust",
        "cycle",
    ): b"use self::a as b; use self::b as a; pub use crate::*; fn f() { a(); b::c(); } type T = U; type U = T; fn g(t: T) { t.x(); }",
    (
        "rust",
        "pointers to themselves",
    ): b"type A = Box<A>; type D<T> = Box<D<Vec<T>>>; fn f(a: A, d: D<u8>) { a.x(); a.y.z(); d.q(); for i in a { i.x() } A::new(); D::<u8>::z(); }",
    ("java", "broken"): b"package ; import ; class { void ( { if enum record X(",
    (
        "java",
        "cycle",
    ): b"class A extends B { void f() { g(); super.h(); this.i(); x.y(); } } class B extends A { C x; } class C extends C {}",
    (
        "java",
        "nested",
    ): b"class A extends A.B { class B extends A { void f() { f(); g(); } } } class T<T extends T<T>> { T t; void f() { t.t.t.f(); } }",
    ("cpp", "broken"): b"class { template < namespace :: ( using ; operator = -> auto [ } ~",
    (
        "cpp",
        "constructor of an unknown class",
    ): b"Gone::Gone(int a) : size(a) { this->size = this->other; }",
    (
        "cpp",
        "cycle",
    ): b"namespace a { using a::b; using namespace a; } struct A : B {}; struct B : A {}; void f(A x) { x.m(); a::b(); }",
    ("c", "broken"): b"int ( { struct ; typedef enum = -> . x( } #include\n#include <\n#if",
    ("c", "pointers"): b"int " + b"*" * 5000 + b"x;",
    ("c", "cycle"): b'#include "a.c"\ntypedef T U; typedef U T; T f(T t) { return t->x(); }',
}


@pytest.mark.parametrize(("language", "name"), BROKEN)
def test_any_source_gives_a_graph(language: str, name: str) -> None:
    """Whatever a file holds, extracting and linking come to an end, and the graph hangs together."""
    for path in PATHS[language]:
        sources = {path: BROKEN[language, name], **BESIDE.get(path, {})}
        graph = outline(SUFFIXES[path.partition(".")[2]], sources, {"Cargo.toml": "not = [toml"})
        assert f"{path}#" in graph.nodes
        check_whole(graph)


@pytest.mark.parametrize("text", ["", "{", "[]", "[" * 5000, '{"compilerOptions": 3}', '{"extends": "./tsconfig.json"}'])  # fmt: skip
def test_broken_configuration_is_as_if_there_were_none(text: str) -> None:
    """A tsconfig or package file that is not one changes nothing."""
    others = {"tsconfig.json": text, "package.json": text}
    graph = outline("typescript", {"a.ts": "import x from 'y';"}, others)
    assert edge_lines(graph, "imports") == {"a.ts imports y external"}


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("m.py", "def good(): ...\ndef bad(:\n    pass\ndef also(): good()\n"),
        ("a.js", "function good() {}\nlet = = ;\n"),
        ("a.go", "package a\nfunc good() {}\nfunc bad( { x. ; type T struct {\n"),
    ],
)
def test_lines_with_syntax_errors_are_told(path: str, source: str) -> None:
    """A file with an error still says what it can."""
    language = SUFFIXES[path.partition(".")[2]]
    assert facts_of(language, {path: source})[path].errors
    names = [node.name for node in outline(language, {path: source}).nodes.values()]
    assert any(name.endswith("good") for name in names)


@pytest.mark.parametrize(
    ("path", "source", "body"),
    [
        ("src/lib.rs", "fn a() {}\nfn b() { a(); }\n", "fn b() { a(); }"),
        ("src/x.ts", "export class A { static n = 1; b() {} }\n", "b() {}"),
        ("m.py", "def a(): ...\n@a\ndef b(): ...\n", "@a\ndef b(): ..."),
    ],
)
def test_every_symbol_has_the_hash_of_its_body(path: str, source: str, body: str) -> None:
    """The body is the SHA-256 of the symbol's own bytes, with its decorators."""
    nodes = outline(SUFFIXES[path.partition(".")[2]], {path: source}).nodes.values()
    (node,) = [node for node in nodes if node.name.endswith("b") and node.kind != "file"]
    assert node.body == hashlib.sha256(body.encode()).hexdigest()


def test_unresolved_references_have_their_lines() -> None:
    """A call that cannot be bound is kept with its text, its line, and how many have that name."""
    source = "package a\nfunc Send() {}\nfunc f(x unknown, fn func()) {\n\tx.y.Send()\n\tfn()\n}"
    assert [
        (loose.kind, loose.text, loose.line, loose.candidates)
        for loose in outline("go", {"a.go": source}).loose
    ] == [("calls", "fn", 5, 0), ("calls", "x.y.Send", 4, 1), ("uses", "unknown", 3, 0)]


def go_project() -> dict[str, str]:
    """Return the Go cases of one file as one package with many clashing names."""
    cases = [case for case in CASES.values() if case.language == "go" and len(case.sources) == 1]
    return {f"p{number}.go": case.sources.get("a.go", "") for number, case in enumerate(cases)} | {
        "sub/s.go": 'package sub\nimport "example.com/m"\nfunc f() { a.Run() }',
        "x_test.go": "package a_test",
    }


def test_many_names_that_clash() -> None:
    """The same graph for any order of files, and it hangs together."""
    sources, module = go_project(), {"go.mod": "module example.com/m\n"}
    graph = outline("go", sources, module)
    check_whole(graph)
    assert outline("go", dict(reversed(sources.items())), module) == graph


def test_a_graph_does_not_keep_the_facts() -> None:
    """They are freed at once, although files and packages refer to each other."""
    facts = facts_of("go", go_project())
    before = {path: sys.getrefcount(file) for path, file in facts.items()}
    gc.disable()
    try:
        graph = GO.link(facts, lambda _: None)
        assert {path: sys.getrefcount(file) for path, file in facts.items()} == before
    finally:
        gc.enable()
    assert graph.nodes


@pytest.mark.parametrize("count", [3, 30])
def test_chains_of_declarations_are_followed_to_their_end(count: int) -> None:
    """Variables, constants and aliases, each the next one, as programs write them; one that ends in itself is nothing."""
    rows = "".join(f"var v{at} = v{at + 1}\ntype A{at} = A{at + 1}\n" for at in range(count))
    rows += "".join(f"var w{at} = w{(at + 1) % count}\n" for at in range(count))
    source = f"package a\n\ntype T struct{{}}\nfunc (T) M() {{}}\n{rows}var v{count} = T{{}}\ntype A{count} = T\n"
    source += "func f() { v0.M() }\nfunc g(a A0) { a.M() }\nfunc h() { w0.M() }\n"
    calls = edge_lines(outline("go", {"a.go": source}), "calls")
    assert calls == {"a.f calls a.T.M type", "a.g calls a.T.M type"}


def test_an_alias_that_doubles_at_each_step_is_left_alone() -> None:
    """Sixty of them would be a type of more parts than there are atoms in a glass of water."""
    rows = "".join(f"type A{at} = map[A{at + 1}]A{at + 1}\n" for at in range(60))
    source = f"package a\n\n{rows}type A60 = int\nfunc f(a A0) {{ g() }}\nfunc g() {{}}\n"
    assert edge_lines(outline("go", {"a.go": source}), "calls") == {"a.f calls a.g package"}


@pytest.mark.wide
@pytest.mark.parametrize("order", [1, -1], ids=["forward", "backward"])
def test_a_thousand_classes_in_a_chain(order: int) -> None:
    """The order of lookup of each is worked out once, in whichever order they stand."""
    classes = [f"class C{at}(C{at + 1}):\n    def m(self): self.q()\n" for at in range(900)]
    classes.append("class C900:\n    def q(self): pass\n")
    calls = edges(outline("python", {"m.py": "".join(classes[::order])}), "calls")
    assert len([call for call in calls if call[2] == "m.C900.q"]) == 900


def test_a_long_list_of_derived_traits() -> None:
    """The attribute may be longer than the text of a reference that is kept."""
    names = [f"Trait{number}" for number in range(40)]
    source = f"#[derive({', '.join(names)}, Clone)]\nstruct A;\n"
    graph = outline("rust", {"src/lib.rs": source}, CARGO)
    assert {loose.text for loose in graph.loose} == {f"derive({name})" for name in names}
    assert edge_lines(graph, "implements") == {"my_app::A implements std::clone::Clone native"}


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
        ("fn f(m: std::sync::Mutex<B>) { m.lock().unwrap().go(); }", "B"),
        ("fn f(c: std::cell::OnceCell<B>) { c.get().unwrap().go(); }", "B"),
        ("fn f(c: std::cell::OnceCell<B>) { c.get_or_init(|| B).go(); }", "B"),
        ("fn f(t: (A, A, B)) { let (.., x) = t; x.go(); }", ""),  # counted from the end
        ("fn f(v: &[B]) { for x in v[1..].iter() { x.go(); } }", "B"),
        ("fn f(v: &[B]) { v[1..].go(); }", ""),
    ],
)
def test_places_in_patterns_and_results_of_the_library(body: str, callee: str) -> None:
    """A name has the type of its own place, and a call the type that the library gives."""
    ends = {edge[2:] for edge in edges(outline("rust", {"src/lib.rs": TWO + body}, CARGO), "calls")}
    project = {end for end in ends if "my_app" in end[0]}
    assert project == ({(f"my_app::{callee}::go", "type")} if callee else set())


OVERLOADS = """
package p;
interface Shape {}
class Circle implements Shape {}
class Square implements Shape {}
class Base { void f(Square s) {} }
class Box<T> { void add(T one) {} void add(T one, int count) {} }
class A extends Base {
    A(String name) {}
    A(Throwable cause) {}
    void f(Object o) {}
    void f(Shape s) {}
    void f(Circle c) {}
    void f(String s) {}
    void f(char c) {}
    void f(int i) {}
    void f(long l) {}
    void f(int[] many) {}
    void f(Runnable r) {}
    void g(String s) {}
    void g(String s, Object... more) {}
    void g(Integer i) {}
    void h(Object o) {}
    void h(boolean b) {}
    void k(Class<?> c) {}
    void k(String s) {}
    void k(java.lang.reflect.Type t) {}
"""


@pytest.mark.parametrize(
    ("body", "callees"),
    [
        ("f(new Circle());", {"f(Circle)"}),
        ("f(new Square());", set()),  # Base.f(Square)
        ("Shape s = null; f(s);", {"f(Shape)"}),
        ('f("x");', {"f(String)"}),
        ('f("x" + 1);', {"f(String)"}),
        ('f(1 + "x" + 2);', {"f(String)"}),
        ("f(String.valueOf(1));", {"f(String)"}),
        ("f('x');", {"f(char)"}),
        ("f(1);", {"f(int)"}),
        ("f(new int[3]);", {"f(int[])"}),
        ("f(() -> {});", {"f(Shape)", "f(Circle)", "f(int[])", "f(Runnable)"}),
        ("f(null);", {"f(Object)", "f(Shape)", "f(Circle)", "f(String)", "f(int[])", "f(Runnable)"}),
        ("f(x);", {"f(Object)", "f(Shape)", "f(Circle)", "f(String)", "f(char)", "f(int)"}
         | {"f(long)", "f(int[])", "f(Runnable)"}),
        ('g("x");', {"g(String)"}),
        ('g("x", 1);', {"g(String, Object...)"}),
        ("g(1);", {"g(Integer)"}),
        ("h(true);", {"h(boolean)"}),
        ("h(1);", {"h(Object)"}),
        ("k(A.class);", {"k(Class)"}),
        ("k(getClass().getName());", {"k(String)"}),
    ],
)  # fmt: skip
def test_overloads_are_chosen_by_the_types_of_arguments(body: str, callees: set[str]) -> None:
    """A method is left out if an argument cannot fit, or if another one is closer."""
    text = f"{OVERLOADS}    void call() {{ {body} }}\n}}\n"
    calls = edges(outline("java", {"p/A.java": text}), "calls")
    own = [end for start, _, end, _ in calls if start == "p.A.call()" and end.startswith("p.A.")]
    assert {name.removeprefix("p.A.") for name in own} == callees


def test_inherited_overloads_and_constructors() -> None:
    """What no own method can take is taken by an inherited one."""
    text = (
        OVERLOADS
        + '    void call() { f(new Square()); new A(new RuntimeException()); new A("x"); }\n}\n'
        'class B { void call(Box<String> box) { box.add("x"); } }\n'
    )
    calls = {edge[:3] for edge in edges(outline("java", {"p/A.java": text}), "calls")}
    assert {call for call in calls if call[2].startswith("p.")} == {
        ("p.A.call()", "calls", "p.Base.f(Square)"),
        ("p.A.call()", "calls", "p.A.A(Throwable)"),
        ("p.A.call()", "calls", "p.A.A(String)"),
        ("p.A.call()", "calls", "p.Square"),
        ("p.B.call(Box)", "calls", "p.Box.add(T)"),
    }


def test_very_many_overloads_are_not_compared() -> None:
    """Comparing all of them for every call would take time by the square of their number."""
    text = "class A {\n" + "".join(f"  void f(T{number} t) {{}}\n" for number in range(40))
    calls = edges(outline("java", {"A.java": f'{text}  void call() {{ f("x"); }}\n}}\n'}), "calls")
    assert len(calls) == 40
    assert {via for *_, via in calls} == {"conditional"}


HEADER = """
#ifdef __cplusplus
extern "C" {
#endif
int f(void);
#ifdef __cplusplus
} /* extern "C" */
#endif
"""
CONDITIONS = """
#ifdef FAST
int fast(void) { return 1; }
#else
int slow(void) { return fast(); }
#endif
"""


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_conditions_of_the_preprocessor(language: str) -> None:
    """Those around declarations are no errors, and all of their branches count."""
    files = {"a.h": HEADER, "b.c": CONDITIONS}
    assert [file.errors for file in facts_of(language, files).values()] == [[], []]
    linked = outline(language, files)
    names = {(node.name, node.line) for node in linked.nodes.values() if node.kind != "file"}
    assert names == {("f", 5), ("fast", 3), ("slow", 5)}
    assert edge_lines(linked, "calls") == {"slow calls fast local"}
