"""Go: exact edges for the failures that other tools were seen to make, and what holds for any input."""

import gc
import random
import sys
from collections.abc import Mapping

import pytest
from tree_sitter import Language, Parser

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import FORWARD, Linked
from ghostmem.outline.languages.go import LANGUAGE

PARSER = Parser(Language(LANGUAGE.grammar("x.go")))


def facts_of(source: str | bytes, path: str = "a.go") -> Facts:
    """Parse and extract."""
    data = source.encode() if isinstance(source, str) else source
    return LANGUAGE.extract(PARSER.parse(data).root_node, data, path)


def linked(files: Mapping[str, str], module: str | None = "module example.com/m\n") -> Linked:
    """Link sources by path."""
    facts = {path: facts_of(source, path) for path, source in files.items()}
    return LANGUAGE.link(facts, lambda path: module if path == "go.mod" else None)


def edges(graph: Linked, kind: str = "calls", natives: bool = False) -> set[tuple[str, str, str]]:
    """Return the links of a kind by the names of their ends, with their rung."""
    return {
        (graph.nodes[one.start].name, graph.nodes[one.end].name, one.via)
        for one in graph.links
        if one.kind == kind and (natives or graph.nodes[one.end].origin == "project")
    }


def of(source: str, kind: str = "calls", natives: bool = False) -> set[tuple[str, str, str]]:
    """Return the edges of one file of package a."""
    return edges(linked({"a.go": f"package a\n{source}"}), kind, natives)


CALLS = {
    "same-name methods are told apart by their receivers": (
        """type Mailer struct{}; type Service struct{ mailer *Mailer }
        func (m *Mailer) Send() {}
        func (s *Service) Send() { s.mailer.Send() }""",
        {("a.(*Service).Send", "a.(*Mailer).Send", "type")},
    ),
    "a receiver that is not known binds nothing": (
        """func Send() {}
        func f(x unknown) { x.Send() }""",
        set(),
    ),
    "a method on the receiver": (
        """type T struct{}
        func (t *T) A() { t.B() }
        func (t T) B() {}""",
        {("a.(*T).A", "a.T.B", "receiver")},
    ),
    "chained calls go by return types": (
        """type DB struct{}; type S struct{}
        func Service(db *DB) *S { return nil }
        func (s *S) Do() *DB { return nil }
        func (d *DB) Close() {}
        func f(db *DB) { Service(db).Do().Close() }""",
        {
            ("a.f", "a.Service", "package"),
            ("a.f", "a.(*S).Do", "type"),
            ("a.f", "a.(*DB).Close", "type"),
        },
    ),
    "several results": (
        """type T struct{}
        func two() (*T, error) { return nil, nil }
        func (t *T) M() {}
        func f() { t, err := two(); t.M(); _ = err }
        var u, _ = two()
        func g() { u.M() }""",
        {
            ("a.f", "a.two", "package"),
            ("a.f", "a.(*T).M", "type"),
            ("a.go", "a.two", "package"),
            ("a.g", "a.(*T).M", "type"),
        },
    ),
    "pointers, conversions and literals": (
        """type T struct{}
        func (t *T) M() {}
        func f() { (*T)(nil).M(); (&T{}).M(); new(T).M(); var t T; t.M() }
        func g() { T.N(T{}); (*T).M(nil) }
        func (t T) N() {}""",
        {("a.f", "a.(*T).M", "type"), ("a.g", "a.T.N", "type"), ("a.g", "a.(*T).M", "type")},
    ),
    "what is embedded is promoted, the shallowest first": (
        """type Base struct{}; type Mid struct{ Base }; type Top struct{ *Mid }; type Own struct{ Base }
        func (b *Base) M() {}
        func (o Own) M() {}
        func f(t Top, o Own) { t.M(); o.M(); o.Base.M() }""",
        {("a.f", "a.(*Base).M", "type"), ("a.f", "a.Own.M", "type")},
    ),
    "a local name shadows": (
        """func run() {}
        func f(run func()) { run() }
        func g() { run := func() {}; run() }
        func h() { { run := 1; _ = run }; run() }
        func i() { if run := 2; run > 1 { _ = run }; run() }""",
        {("a.h", "a.run", "package"), ("a.i", "a.run", "package")},
    ),
    "a name for a function": (
        """type T struct{}
        func (T) M() {}
        func run() {}
        func f(t T) { g := run; g(); h := t.M; h() }""",
        {("a.f", "a.run", "local"), ("a.f", "a.T.M", "local")},
    ),
    "closures belong to the function around them": (
        """func leaf() {}
        func f() { go func() { defer func() { leaf() }() }(); each(func(int) { leaf() }) }
        func each(fn func(int)) { fn(1) }""",
        {("a.f", "a.leaf", "package"), ("a.f", "a.each", "package")},
    ),
    "initialisers belong to the file, not to the function before": (
        """func before() {}
        var x = make1()
        func make1() int { return 1 }
        var table = map[string]func(){"a": func() { before() }}
        func init() { before() }
        func init() { make1() }""",
        {
            ("a.go", "a.make1", "package"),
            ("a.go", "a.before", "package"),
            ("a.init", "a.before", "package"),
            ("a.init", "a.make1", "package"),
        },
    ),
    "generic types and functions": (
        """type List[E any] struct{ items []E }
        func (l *List[E]) First() E { return l.items[0] }
        func (l *List[X]) Both() { l.First() }
        type T struct{}
        func (t *T) M() {}
        func Map[A, B any](in []A, fn func(A) B) []B { return nil }
        func Of[V any](v V) *List[V] { return nil }
        func Slice[S ~[]E, E any](s S) E { return s[0] }
        type Ts []*T
        func f(l List[*T]) { l.First().M() }
        func g() { Map([]int{1}, func(int) *T { return nil })[0].M() }
        func h() { Of(&T{}).First().M() }
        func i() { Of[*T](nil).First().M() }
        func j(ts Ts) { Slice(ts).M() }""",
        {
            ("a.(*List).Both", "a.(*List).First", "receiver"),
            ("a.f", "a.(*List).First", "type"),
            ("a.f", "a.(*T).M", "type"),
            ("a.g", "a.Map", "package"),
            ("a.g", "a.(*T).M", "type"),
            ("a.h", "a.Of", "package"),
            ("a.h", "a.(*List).First", "type"),
            ("a.h", "a.(*T).M", "type"),
            ("a.i", "a.Of", "package"),
            ("a.i", "a.(*List).First", "type"),
            ("a.i", "a.(*T).M", "type"),
            ("a.j", "a.Slice", "package"),
            ("a.j", "a.(*T).M", "type"),
        },
    ),
    "a call through an interface is a call of its method": (
        """type R interface{ Read() }
        type RC interface{ R; Close() }
        type T struct{ R }
        func (T) Close() {}
        func f(r RC, t T) { r.Read(); r.Close(); t.Read(); t.Close() }
        func g[X R](x X) { x.Read() }""",
        {
            ("a.f", "a.R.Read", "interface"),
            ("a.f", "a.RC.Close", "interface"),
            ("a.f", "a.T.Close", "type"),
            ("a.g", "a.R.Read", "interface"),
        },
    ),
    "assertions, switches, ranges, maps, channels": (
        """type A struct{}; type B struct{}
        func (*A) M() {}
        func (*B) M() {}
        func f(x any) { x.(*A).M(); if b, ok := x.(*B); ok { b.M() } }
        func g(x any) { switch v := x.(type) { case *A: v.M(); case *B, nil: _ = v } }
        func h(m map[string][]*A) { for _, as := range m { for i := range as { as[i].M() } } }
        func i(c chan *B) { (<-c).M(); for b := range c { b.M() }; select { case b := <-c: b.M() } }
        func j(seq func(yield func(int, *A) bool)) { for _, a := range seq { a.M() } }
        func k() { for _, a := range []struct{ a *A }{{a: nil}} { a.a.M() } }""",
        {
            ("a.f", "a.(*A).M", "type"),
            ("a.f", "a.(*B).M", "type"),
            ("a.g", "a.(*A).M", "type"),
            ("a.h", "a.(*A).M", "type"),
            ("a.i", "a.(*B).M", "type"),
            ("a.j", "a.(*A).M", "type"),
            ("a.k", "a.(*A).M", "type"),
        },
    ),
    "aliases and local types": (
        """type T struct{}; type U = *T
        func (t *T) M() {}
        func f(u U) { u.M(); type W struct{ *T; next *W }; var w W; w.next.next.M() }""",
        {("a.f", "a.(*T).M", "type")},
    ),
    "a variable of function type is no function": (
        """var hook = func() {}
        func f() { hook() }""",
        set(),
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    """Exactly these calls, no other."""
    source, expected = CALLS[name]
    assert of(source) == expected


def test_imports_resolve_by_path_alias_dot_and_declared_name() -> None:
    """A package is found by its path, whatever it is called here or there; a qualifier never widens."""
    graph = linked(
        {
            "a.go": """package a
import ("fmt"; w "example.com/m/wide"; . "example.com/m/dots"; "example.com/m/go-odd"; "github.com/x/yaml.v3")
func f() { w.Run(); Dotted(); odd.Run().Do(); w.Missing(); fmt.Println(); yaml.Load() }
func Run() {}""",
            "wide/w.go": "package wide\nfunc Run() {}",
            "dots/d.go": "package dots\nfunc Dotted() {}\nfunc Missing() {}",
            "go-odd/o.go": "package odd\ntype T struct{}\nfunc Run() *T { return nil }\nfunc (*T) Do() {}",
        }
    )
    assert edges(graph, natives=True) == {
        ("a.f", "wide.Run", "import"),
        ("a.f", "dots.Dotted", "import"),
        ("a.f", "odd.Run", "import"),
        ("a.f", "odd.(*T).Do", "type"),
        ("a.f", "fmt.Println", "native"),
        ("a.f", "yaml.Load", "external"),
    }
    assert [(one.text, one.name, one.candidates) for one in graph.loose] == [
        ("w.Missing", "Missing", 1)
    ]
    assert edges(graph, "imports", natives=True) == {
        ("a.go", "fmt", "native"),
        ("a.go", "example.com/m/wide", "import"),
        ("a.go", "example.com/m/dots", "import"),
        ("a.go", "example.com/m/go-odd", "import"),
        ("a.go", "github.com/x/yaml.v3", "external"),
    }
    full = {one.full for one in graph.nodes.values()}
    assert {"example.com/m/go-odd.(*T).Do", "example.com/m.f"} <= full


def calls_between_files(graph: Linked) -> set[tuple[str, str, str]]:
    """Return the files of callers and callees, and how each call was resolved."""
    return {
        (graph.nodes[one.start].file, graph.nodes[one.end].file, one.via)
        for one in graph.links
        if one.kind == "calls"
    }


def test_build_tags_keep_all_candidates_that_can_be_built_together() -> None:
    """A function of two builds is called in both; a file of one system calls its own."""
    graph = linked(
        {
            "a.go": "package a\nfunc f() { open() }",
            "b_linux.go": "package a\nfunc open() { helper() }",
            "b_windows.go": "package a\nfunc open() { helper() }",
            "c_linux.go": "package a\nfunc helper() {}",
            "c_windows.go": "package a\nfunc helper() {}",
        }
    )
    assert calls_between_files(graph) == {
        ("a.go", "b_linux.go", "conditional"),
        ("a.go", "b_windows.go", "conditional"),
        ("b_linux.go", "c_linux.go", "package"),
        ("b_windows.go", "c_windows.go", "package"),
    }


@pytest.mark.parametrize("receiver", ["*T", "T", "struct{ *T }"])
def test_a_file_of_one_system_calls_the_methods_of_its_own_system(receiver: str) -> None:
    """The answer for the first file, here that of Linux, is not used for the others."""
    call = f"package a\nfunc use_%s(t {receiver}) {{ t.Close() }}"
    graph = linked(
        {
            "a_linux.go": call % "linux",
            "b_windows.go": call % "windows",
            "t.go": "package a\ntype T struct{}",
            "t_linux.go": "package a\nfunc (t *T) Close() {}",
            "t_windows.go": "package a\nfunc (t *T) Close() {}",
        }
    )
    assert calls_between_files(graph) == {
        ("a_linux.go", "t_linux.go", "type"),
        ("b_windows.go", "t_windows.go", "type"),
    }


def test_tests_are_flagged_and_seen_from_tests_only() -> None:
    """A test calls what it tests; the outside test package is another package."""
    files = {
        "a.go": "package a\nfunc F() { helper() }\nfunc helper() {}",
        "a_test.go": "package a\nfunc helper() {}\nfunc TestF() { F() }",
        "b_test.go": 'package a_test\nimport "example.com/m"\nfunc TestG() { a.F() }',
    }
    assert edges(linked(files)) == {
        ("a.F", "a.helper", "package"),
        ("a.TestF", "a.F", "package"),
        ("a_test.TestG", "a.F", "import"),
    }


def test_variables_and_constants() -> None:
    """Only those of packages count, reading apart from writing; += is both."""
    source = """const Max = 3
    var count int
    func f(n int) { local := Max; _ = local; count += n; count++ }
    func g() { count = 1; count := 2; count = 3 }"""
    assert of(source, "accesses") == {("a.f", "a.Max", "package"), ("a.f", "a.count", "package")}
    assert of(source, "assigns") == {("a.f", "a.count", "package"), ("a.g", "a.count", "package")}


def test_uses() -> None:
    """Types in signatures, bodies, literals, conversions and type arguments; functions that are passed on."""
    source = """type A struct{ b B }; type B int; type G[X any] struct{}
    func f(a A) G[B] { return G[B]{} }
    func g() { _ = A{b: B(1)}; h(k) }
    func h(fn func()) {}
    func k() {}"""
    assert of(source, "uses") == {
        ("a.A", "a.B", "package"),
        ("a.f", "a.A", "package"),
        ("a.f", "a.B", "package"),
        ("a.f", "a.G", "package"),
        ("a.g", "a.A", "package"),
        ("a.g", "a.B", "package"),
        ("a.g", "a.k", "package"),
    }


def test_extends_and_declares() -> None:
    """Embedding in structs and interfaces extends; a type declares its fields and methods, wherever these stand."""
    graph = linked(
        {
            "a.go": 'package a\nimport "sync"\ntype T struct { *B; sync.Mutex; n int }\ntype I interface { J; M() }\ntype J interface{}',
            "b.go": "package a\ntype B struct{}\nfunc (t *T) M() {}",
        }
    )
    assert edges(graph, "extends", natives=True) == {
        ("a.T", "a.B", "package"),
        ("a.T", "sync.Mutex", "native"),
        ("a.I", "a.J", "package"),
    }
    inside = {(start, end) for start, end, _ in edges(graph, "declares") if start[:2] == "a."}
    inside -= {pair for pair in inside if pair[0].endswith(".go")}
    assert inside == {("a.T", "a.T.n"), ("a.I", "a.I.M"), ("a.T", "a.(*T).M")}


def test_implements_by_method_sets() -> None:
    """Signatures must agree; values and pointers are told apart; the empty interface and constraints have no implementers."""
    source = """type I interface{ M(int) string }
    type Empty interface{}
    type Number interface{ ~int; M(int) string }
    type V struct{}
    func (V) M(int) string { return "" }
    type P struct{}
    func (*P) M(int) string { return "" }
    type Other struct{}
    func (Other) M() string { return "" }
    type ByValue struct{ P }
    type ByPointer struct{ *P }
    type Err struct{}
    func (*Err) Error() string { return "" }
    type Box[X any] interface{ Get() X }
    type IntBox struct{}
    func (IntBox) Get() int { return 0 }"""
    assert of(source, "implements", natives=True) == {
        ("a.V", "a.I", "type"),
        ("a.P", "a.I", "receiver"),
        ("a.ByValue", "a.I", "receiver"),
        ("a.ByPointer", "a.I", "type"),
        ("a.Err", "error", "native"),
        ("a.IntBox", "a.Box", "type"),
    }


def test_what_is_not_resolved_is_counted() -> None:
    """A call that cannot be bound is kept with its text, its line, and how many have that name."""
    graph = linked(
        {
            "a.go": "package a\nfunc Send() {}\nfunc f(x unknown, fn func()) {\n\tx.y.Send()\n\tfn()\n}"
        }
    )
    assert [(one.kind, one.text, one.line, one.candidates) for one in graph.loose] == [
        ("calls", "fn", 5, 0),
        ("calls", "x.y.Send", 4, 1),
        ("uses", "unknown", 3, 0),
    ]


def test_natives() -> None:
    """Predeclared functions and the methods of types outside are named by what is known of them."""
    source = 'import "bytes"\nfunc f(b *bytes.Buffer) { b.WriteString("x"); n := len("x"); _ = n; println(errors()) }\nfunc errors() error { return nil }'
    assert of(source, natives=True) == {
        ("a.f", "bytes.Buffer.WriteString", "native"),
        ("a.f", "len", "native"),
        ("a.f", "println", "native"),
        ("a.f", "a.errors", "package"),
    }


PROJECT = {
    **{f"p{place}.go": f"package a\n{source}" for place, (source, _) in enumerate(CALLS.values())},
    "sub/s.go": 'package sub\nimport "example.com/m"\nfunc f() { a.Run() }',
    "x_test.go": "package a_test",
}


def test_the_order_of_files_does_not_matter() -> None:
    """The same graph for any order, also of a project with many clashing names."""
    paths = sorted(PROJECT)
    first = linked({path: PROJECT[path] for path in paths})
    for seed in range(3):
        random.Random(seed).shuffle(paths)
        assert linked({path: PROJECT[path] for path in paths}) == first


def test_facts_survive_json() -> None:
    """Facts read back from the cache link to the same graph."""
    facts = {path: facts_of(source, path) for path, source in PROJECT.items()}
    back = {path: Facts.unpacked(one.packed()) or Facts() for path, one in facts.items()}
    assert [one.packed() for one in back.values()] == [one.packed() for one in facts.values()]
    assert LANGUAGE.link(back, lambda _: None) == LANGUAGE.link(facts, lambda _: None)


def test_functions_in_tables_are_used() -> None:
    """Also in a literal without the name of its type."""
    source = """type T struct { a int; b []*U; c int }; type U struct{ f func() }
    func g() {}
    var x = []T{{1, []*U{{g}}, 2}, {3, nil, 4}}"""
    assert of(source, "uses") >= {("a.go", "a.g", "package")}


def test_a_graph_does_not_keep_the_facts() -> None:
    """They are freed at once, although files and packages refer to each other."""
    facts = {path: facts_of(source, path) for path, source in PROJECT.items()}
    before = {path: sys.getrefcount(one) for path, one in facts.items()}
    gc.disable()
    try:
        graph = LANGUAGE.link(facts, lambda _: None)
        assert {path: sys.getrefcount(one) for path, one in facts.items()} == before
    finally:
        gc.enable()
    assert graph.nodes


def test_links_have_ends_and_known_kinds() -> None:
    """Every link joins two nodes that there are, every node has its body's hash, and no link is there twice."""
    graph = linked(PROJECT)
    assert all(
        one.start in graph.nodes and one.end in graph.nodes and one.kind in FORWARD and one.via
        for one in graph.links
    )
    assert len({one[:3] for one in graph.links}) == len(graph.links)
    assert all(
        len(one.body) == 64
        for one in graph.nodes.values()
        if one.origin == "project" and one.kind not in ("module", "file")
    )
    assert all(key == one.id for key, one in graph.nodes.items())


HOSTILE = {
    "empty": b"",
    "binary": bytes(range(256)) * 50,
    "syntax errors": b"package a\nfunc f( { x. ; type T struct { func\n var = = 3\nfunc (t *) M() {}\nimport (\n",
    "half a file": b"package a\nfunc f() { g(x.(type), [",
    "long line": b'package a\nvar x = "' + b"a" * 1_000_000 + b'"\n',
    "long sum": b"package a\nvar x = 1" + b" + 1" * 20_000 + b"\n",
    "deep parentheses": b"package a\nfunc f() { _ = "
    + b"(" * 3000
    + b"g()"
    + b")" * 3000
    + b" }\n",
    "deep blocks": b"package a\nfunc f() {" + b"{" * 1500 + b"g()" + b"}" * 1500 + b"}\n",
    "deep calls": b"package a\nfunc f() { " + b"f(" * 2000 + b")" * 2000 + b" }\n",
    "deep chain": b"package a\nfunc f() { x" + b".f()" * 2000 + b" }\n",
    "deep literal": b"package a\nvar x = T" + b"{" * 3000 + b"1" + b"}" * 3000 + b"\n",
    "deep type": b"package a\ntype T " + b"[]" * 3000 + b"int\n",
    "cycles": b"package a\ntype A B\ntype B A\ntype C = C\ntype D struct { D }\nvar x = y\nvar y = x\n"
    b"type G[X G[X]] interface{ G[X] }\nfunc f(a A, c C, d D, g G[int]) { a.M(); c.M(); d.M(); g.M(); x.M() }\n",
    "a function of itself": b"package a\nfunc f(x f) f { return f(x) }\nfunc g(x h) {}\nfunc h(x g) {}\n",
    "odd names": "package ü\ntype Ä struct{ é int }\nfunc (ä *Ä) Ö() { ä.Ö() }\n".encode(),
    "bad utf-8": b'package a\nfunc f\xff() { g\xfe() }\nvar s = "\xff"\n',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_never_raises(name: str) -> None:
    """Whatever a file holds, facts come out, survive JSON, and link."""
    facts = facts_of(HOSTILE[name])
    back = Facts.unpacked(facts.packed())
    assert back is not None
    graph = LANGUAGE.link({"a.go": back}, lambda _: None)
    assert "a.go#" in graph.nodes


def test_what_is_too_deep_is_reported() -> None:
    """What is left out for its depth counts as a line that could not be parsed."""
    assert facts_of(HOSTILE["deep calls"]).errors == [2]
    assert facts_of(HOSTILE["syntax errors"]).errors


@pytest.mark.parametrize("count", [3, 30])
def test_chains_of_declarations_are_followed_to_their_end(count: int) -> None:
    """Variables, constants and aliases, each the next one, as programs write them; one that ends in itself is nothing."""
    rows = "".join(f"var v{at} = v{at + 1}\ntype A{at} = A{at + 1}\n" for at in range(count))
    rows += "".join(f"var w{at} = w{(at + 1) % count}\n" for at in range(count))
    source = f"package a\n\ntype T struct{{}}\nfunc (T) M() {{}}\n{rows}var v{count} = T{{}}\ntype A{count} = T\n"
    assert of(source + "func f() { v0.M() }\nfunc g(a A0) { a.M() }\nfunc h() { w0.M() }\n") == {
        ("a.f", "a.T.M", "type"),
        ("a.g", "a.T.M", "type"),
    }


def test_an_alias_that_doubles_at_each_step_is_left_alone() -> None:
    """Sixty of them would be a type of more parts than there are atoms in a glass of water."""
    rows = "".join(f"type A{at} = map[A{at + 1}]A{at + 1}\n" for at in range(60))
    assert of(f"package a\n\n{rows}type A60 = int\nfunc f(a A0) {{ g() }}\nfunc g() {{}}\n") == {
        ("a.f", "a.g", "package")
    }
