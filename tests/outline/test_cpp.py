"""C++: what files say, and exact sets of edges for what other tools get wrong."""

from functools import partial

import pytest

from outline.conftest import edges, loose, outline

graph = partial(outline, "cpp")


def ends(linked, kind):
    """Return edges by the place of their ends, to tell overloads apart."""
    at = {key: f"{node.name}:{node.line}" for key, node in linked.nodes.items()}
    return {(at[one.start], at[one.end], one.via) for one in linked.links if one.kind == kind}


PROJECT = {
    "foo.hpp": """
#pragma once
#include <memory>
namespace a::b {
struct Base { virtual void run(int x) = 0; void common(); };
class Foo : public Base {
public:
    Foo(int x) : v_(x) {}
    Foo();
    static Foo& instance() { static Foo f; return f; }
    void run(int x) override;
    void go();
    void go(int a, int b = 2);
    static int count;
private:
    int v_;
};
template <typename T> class Stack { public: T& top(); T item; };
template <typename T> T& Stack<T>::top() { return item; }
std::unique_ptr<Foo> make();
}
""",
    "foo.cpp": """
#include "foo.hpp"
namespace a::b {
int Foo::count = 0;
void Foo::run(int x) { go(); this->go(1); count++; Foo::count = x; common(); }
void Foo::go() { Foo::instance().run(1); }
void Foo::go(int a, int b) {}
void Base::common() {}
std::unique_ptr<Foo> make() { return std::make_unique<Foo>(1); }
}
""",
    "main.cpp": """
#include "foo.hpp"
#include <vector>
using namespace a::b;
namespace ab = a::b;
static Foo g(1);
int chained() { make()->go(); return ab::Foo::instance().count; }
void templates(Stack<Foo>& s) { s.top().go(); }
void loops(std::vector<std::unique_ptr<Foo>> v) { for (auto& e : v) e->run(2); v[0]->go(1, 2); }
void virtuals(Base* b) { b->run(1); }
void lambdas() { auto call = [](Foo& q) { q.go(); }; Foo w; call(w); }
void made() { auto p = new Foo(3); p->common(); undefined(1); p->nothing(); g.go(); }
""",
}


def test_definitions_overloads_singletons_and_templates():
    """Calls bind to out-of-class definitions, by the number of arguments, through chains, smart pointers and templates."""
    linked = graph(PROJECT)
    assert ends(linked, "calls") == {
        ("a::b::Foo::instance:10", "a::b::Foo::Foo:9", "local"),
        ("a::b::Foo::run:5", "a::b::Foo::go:6", "receiver"),
        ("a::b::Foo::run:5", "a::b::Foo::go:7", "receiver"),
        ("a::b::Foo::run:5", "a::b::Base::common:8", "receiver"),
        ("a::b::Foo::go:6", "a::b::Foo::instance:10", "type"),
        ("a::b::Foo::go:6", "a::b::Foo::run:5", "type"),
        ("a::b::make:9", "std::make_unique:0", "native"),
        ("a::b::make:9", "a::b::Foo::Foo:8", "namespace"),
        ("main.cpp:1", "a::b::Foo::Foo:8", "import"),
        ("chained:7", "a::b::make:9", "import"),
        ("chained:7", "a::b::Foo::go:6", "type"),
        ("chained:7", "a::b::Foo::instance:10", "type"),
        ("templates:8", "a::b::Stack::top:19", "type"),
        ("templates:8", "a::b::Foo::go:6", "type"),
        ("loops:9", "a::b::Foo::run:5", "type"),
        ("loops:9", "a::b::Foo::go:7", "type"),
        ("virtuals:10", "a::b::Base::run:5", "interface"),
        ("lambdas:11", "a::b::Foo::go:6", "type"),
        ("lambdas:11", "a::b::Foo::Foo:9", "import"),
        ("made:12", "a::b::Foo::Foo:8", "import"),
        ("made:12", "a::b::Base::common:8", "type"),
        ("made:12", "a::b::Foo::go:6", "type"),
    }
    assert loose(linked) == {("calls", "undefined", 0), ("calls", "p->nothing", 0)}


def test_values_bases_and_declarations():
    """Static members are read and written; bases are extended; a method is declared once, by its class."""
    linked = graph(PROJECT)
    assert edges(linked, "accesses", "assigns", "extends") == {
        ("a::b::Foo", "extends", "a::b::Base", "local"),
        ("a::b::Foo::run", "accesses", "a::b::Foo::count", "receiver"),
        ("a::b::Foo::run", "assigns", "a::b::Foo::count", "receiver"),
        ("chained", "accesses", "a::b::Foo::count", "type"),
        ("made", "accesses", "g", "local"),
    }
    declared = [
        (one.start, one.end)
        for one in linked.links
        if one.kind == "declares" and "Foo::run" in one.end
    ]
    assert len(declared) == 1
    assert linked.nodes[declared[0][1]].file == "foo.cpp"
    assert linked.nodes[declared[0][0]].name == "a::b::Foo"
    kinds = {node.name: node.kind for node in linked.nodes.values() if node.file}
    assert (kinds["a::b::Foo::run"], kinds["a::b::Foo::count"], kinds["a::b::Foo::v_"]) == (
        "method",
        "variable",
        "field",
    )


def test_uses_are_types_of_signatures_bodies_and_arguments():
    """A constructor call also uses its class."""
    linked = graph(PROJECT)
    assert {
        one for one in edges(linked, "uses") if one[0] in ("made", "loops", "main.cpp", "virtuals")
    } == {
        ("made", "uses", "a::b::Foo", "import"),
        ("loops", "uses", "std::vector", "native"),
        ("loops", "uses", "std::unique_ptr", "native"),
        ("loops", "uses", "a::b::Foo", "import"),
        ("main.cpp", "uses", "a::b::Foo", "import"),
        ("virtuals", "uses", "a::b::Base", "import"),
    }


def test_overloads_left_by_the_number_of_arguments_are_all_kept():
    """Two overloads with one argument: neither is chosen; with a wrong number none is."""
    linked = graph(
        {
            "a.cpp": """
void put(int x) {}
void put(double x) {}
void put(int x, int y) {}
void one() { put(1); }
void two() { put(1, 2); }
void three() { put(1, 2, 3); }
"""
        }
    )
    assert ends(linked, "calls") == {
        ("one:5", "put:2", "conditional"),
        ("one:5", "put:3", "conditional"),
        ("two:6", "put:4", "local"),
    }
    assert loose(linked) == {("calls", "put", 3)}


def test_nested_namespaces_using_and_qualifiers():
    """The nearest namespace wins; a qualifier filters and never widens."""
    linked = graph(
        {
            "a.hpp": "namespace out { void f(); namespace in { void f(); void g(); } }\nvoid f();\n",
            "b.cpp": """
#include "a.hpp"
namespace out { namespace in { void h() { f(); out::f(); ::f(); other::f(); } } }
using out::in::g;
void use() { g(); f(); }
namespace { void hidden() {} }
void local() { hidden(); }
""",
            "c.cpp": '#include "a.hpp"\nvoid far() { hidden(); }\n',
        }
    )
    assert ends(linked, "calls") == {
        ("out::in::h:3", "out::in::f:1", "namespace"),
        ("out::in::h:3", "out::f:1", "namespace"),
        ("out::in::h:3", "f:2", "import"),
        ("use:5", "out::in::g:1", "import"),
        ("use:5", "f:2", "import"),
        ("local:7", "hidden:6", "local"),
    }
    assert loose(linked) == {("calls", "other::f", 3), ("calls", "hidden", 1)}


def test_macros_that_hide_declarations():
    """An export macro before a class name, and annotations after members, do not turn methods into functions."""
    linked = graph(
        {
            "a.hpp": """
#define LIB_EXPORT
class LIB_EXPORT Status { public: Status(int code); Status(const Status&) = delete; bool ok() const GUARDED_BY(mu_); Status* next_ GUARDED_BY(mu_); };
LIB_EXPORT Status check();
class Holder { Status* kept; Status own; public: Holder(Status* s) : kept(s), own(1) {} };
""",
            "b.cpp": """
#include "a.hpp"
void go() { check().next_->ok(); ok(); CHECKED(1); Status s(2); }
TEST(Suite, Case) { check(); }
""",
        }
    )
    assert edges(linked, "calls") == {
        ("go", "calls", "check", "import"),
        ("go", "calls", "Status::ok", "type"),
        ("go", "calls", "Status::Status", "import"),
        ("TEST(Suite, Case)", "calls", "check", "import"),
        ("Holder::Holder", "calls", "Status::Status", "type"),
    }
    assert loose(linked) == {
        ("calls", "ok", 1),
        ("calls", "CHECKED", 0),
        ("uses", "Suite", 0),
        ("uses", "Case", 0),
    }


HOSTILE = {
    "broken": b"class { template < namespace :: ( using ; operator = -> auto [ } ~",
    "nested types": b"std::vector<" * 1500 + b"int" + b">" * 1500 + b" x;",
    "nested classes": b"class A {" * 600 + b"};" * 600,
    "nested lambdas": b"void f() { " + b"[&](){ " * 800 + b"};" * 800 + b"}",
    "constructor of an unknown class": b"Gone::Gone(int a) : size(a) { this->size = this->other; }",
    "cycle": b"namespace a { using a::b; using namespace a; } struct A : B {}; struct B : A {}; void f(A x) { x.m(); a::b(); }",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_never_raises(name):
    """Whatever the bytes, there are facts and a graph."""
    assert "a.cpp#" in graph({"a.cpp": HOSTILE[name], "b.cpp": '#include "a.cpp"\n'}).nodes


def test_operators_and_iterators_of_containers():
    """An index and a loop lead to the elements of a class, not to the class itself."""
    linked = graph(
        {
            "a.cpp": """
struct Item { void go() {} };
struct Iterator { Item& operator*(); };
struct List { Iterator begin(); Item& operator[](int i); const Item& operator[](int i) const; void go() {} };
template <class T> struct Vec { T& operator[](int i); T* begin(); void go() {} };
void index(List l) { l[0].go(); }
void loop(List l) { for (auto& x : l) x.go(); }
void array(Item items[3]) { for (auto& x : items) x.go(); items[1].go(); }
void generic(Vec<Item> v) { v[0].go(); for (auto& x : v) x.go(); }
void whole(Vec<Item> v) { v.go(); }
"""
        }
    )
    assert {one[:3] for one in edges(linked, "calls")} == {
        ("index", "calls", "Item::go"),
        ("loop", "calls", "Item::go"),
        ("array", "calls", "Item::go"),
        ("generic", "calls", "Item::go"),
        ("whole", "calls", "Vec::go"),
    }


def test_bodies_of_tests_with_a_fixture():
    """They see the members of the fixture and of its bases; those of plain tests do not."""
    linked = graph(
        {
            "a.cpp": """
namespace n {
struct Db { void put() {} };
class Base { protected: void open() {} };
class DbTest : public Base { protected: void close() {} Db db_; };
TEST_F(DbTest, Opens) { open(); close(); db_.put(); this->close(); }
TEST(DbTest, Plain) { open(); }
}
"""
        }
    )
    assert {one[:3] for one in edges(linked, "calls")} == {
        ("n::TEST_F(DbTest, Opens)", "calls", "n::Base::open"),
        ("n::TEST_F(DbTest, Opens)", "calls", "n::DbTest::close"),
        ("n::TEST_F(DbTest, Opens)", "calls", "n::Db::put"),
    }
    assert {one for one in loose(linked) if one[0] == "calls"} == {("calls", "open", 1)}
