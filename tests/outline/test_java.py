"""Java: the failures that other outlines are known for, each with the exact set of edges."""

import pytest

pytest.importorskip("tree_sitter")
pytest.importorskip("tree_sitter_java")

from outline.conftest import check_orders, edge_lines, edges, lines, outline, told


def test_same() -> None:
    """A field's method is not the class's own; overloads are told apart by their parameters."""
    sources = {
        "a/Mailer.java": """package a;
import b.Transport;
public class Mailer {
  private final Transport transport;
  static int sent = 0;
  Mailer(Transport transport) { this.transport = transport; }
  public void send(String to) { transport.send(to); sent += 1; }
  public void send(String to, int times) { this.send(to); }
  void send(int to, int times) { send("x", 1); }
  void all(Object other) { other.send("x"); ((Mailer) other).send("y"); }
}
""",
        "b/Transport.java": """package b; public interface Transport { void send(String to); default void twice(String to) { send(to); send(to); } }""",
    }
    graph = outline("java", sources)
    assert told(graph) == lines(
        """
        a.Mailer uses b.Transport import
        a.Mailer.Mailer(Transport) uses b.Transport import
        a.Mailer.all(Object) calls a.Mailer.send(String) type
        a.Mailer.all(Object) uses a.Mailer local
        a.Mailer.all(Object) uses java.lang.Object native
        a.Mailer.send(String) accesses a.Mailer.sent receiver
        a.Mailer.send(String) assigns a.Mailer.sent receiver
        a.Mailer.send(String) calls b.Transport.send(String) interface
        a.Mailer.send(String) uses java.lang.String native
        a.Mailer.send(String, int) calls a.Mailer.send(String) receiver
        a.Mailer.send(String, int) uses java.lang.String native
        a.Mailer.send(int, int) calls a.Mailer.send(String, int) receiver
        b.Transport.send(String) uses java.lang.String native
        b.Transport.twice(String) calls b.Transport.send(String) interface
        b.Transport.twice(String) uses java.lang.String native
        a/Mailer.java imports b/Transport.java import
        loose a.Mailer.all(Object) calls other.send 4
        """
    )


def test_chains() -> None:
    """Singletons, chains, generics, loops, lambdas and streams keep the receiver's type."""
    sources = {
        "p/Db.java": """package p;
import java.util.List;
import java.util.Map;
public class Db {
  private static final Db ONE = new Db();
  public static Db instance() { return ONE; }
  Query query() { return new Query(); }
  static class Query { Query where(String x) { return this; } List<Row> rows() { return null; } }
  static class Row { String text() { return ""; } }
  void use(Map<String, Row> byName, Box<Row> box) {
    var rows = Db.instance().query().where("a").rows();
    for (var row : rows) row.text().trim();
    rows.forEach(one -> one.text());
    rows.stream().filter(one -> one.text() != null).map(one -> one.text()).findFirst();
    byName.get("x").text();
    box.get().text();
    new Box<Row>().self().get().text();
  }
}
class Box<T> { T held; T get() { return held; } Box<T> self() { return this; } }
""",
    }
    graph = outline("java", sources)
    assert told(graph) == lines(
        """
        p.Box.self() uses p.Box local
        p.Db calls p.Db local
        p.Db uses p.Db local
        p.Db.Query.rows() uses java.util.List native
        p.Db.Query.rows() uses p.Db.Row local
        p.Db.Query.where(String) uses java.lang.String native
        p.Db.Query.where(String) uses p.Db.Query local
        p.Db.Row.text() uses java.lang.String native
        p.Db.instance() accesses p.Db.ONE receiver
        p.Db.instance() uses p.Db local
        p.Db.query() calls p.Db.Query local
        p.Db.query() uses p.Db.Query local
        p.Db.use(Map, Box) calls java.lang.String.trim native
        p.Db.use(Map, Box) calls java.util.List.forEach native
        p.Db.use(Map, Box) calls java.util.List.stream native
        p.Db.use(Map, Box) calls java.util.Map.get native
        p.Db.use(Map, Box) calls java.util.stream.Stream.filter native
        p.Db.use(Map, Box) calls java.util.stream.Stream.findFirst native
        p.Db.use(Map, Box) calls java.util.stream.Stream.map native
        p.Db.use(Map, Box) calls p.Box package
        p.Db.use(Map, Box) calls p.Box.get() type
        p.Db.use(Map, Box) calls p.Box.self() type
        p.Db.use(Map, Box) calls p.Db.Query.rows() type
        p.Db.use(Map, Box) calls p.Db.Query.where(String) type
        p.Db.use(Map, Box) calls p.Db.Row.text() type
        p.Db.use(Map, Box) calls p.Db.instance() type
        p.Db.use(Map, Box) calls p.Db.query() type
        p.Db.use(Map, Box) uses java.lang.String native
        p.Db.use(Map, Box) uses java.util.Map native
        p.Db.use(Map, Box) uses p.Box package
        p.Db.use(Map, Box) uses p.Db local
        p.Db.use(Map, Box) uses p.Db.Row local
        p/Db.java imports java.util.List native
        p/Db.java imports java.util.Map native
        """
    )


def test_imports() -> None:
    """Static, nested and whole imports resolve when just one source has the name."""
    sources = {
        "x/One.java": """package x; public class One { public static final int SIZE = 1; public static void help() {} public static class In { public void go() {} } }""",
        "y/One.java": """package y; public class One {}""",
        "y/Two.java": """package y; public class Two { public static int made; }""",
        "z/Use.java": """package z;
import static x.One.*;
import static java.lang.Math.max;
import x.One.In;
import x.*;
import y.*;
import java.util.*;
import org.slf4j.Logger;
class Use {
  Logger log;
  void run(In in, One which) {
    help(); max(SIZE, 2); in.go(); Two.made++; new ArrayList<String>(); log.info("x"); java.util.List.of(); x.One.help();
  }
}
""",
    }
    graph = outline("java", sources)
    assert told(graph) == lines(
        """
        z.Use uses org.slf4j.Logger external
        z.Use.run(In, One) accesses x.One.SIZE import
        z.Use.run(In, One) accesses y.Two.made type
        z.Use.run(In, One) assigns y.Two.made type
        z.Use.run(In, One) calls java.lang.Math.max native
        z.Use.run(In, One) calls java.util.ArrayList native
        z.Use.run(In, One) calls java.util.List.of native
        z.Use.run(In, One) calls org.slf4j.Logger.info external
        z.Use.run(In, One) calls x.One.In.go() type
        z.Use.run(In, One) calls x.One.help() import
        z.Use.run(In, One) uses java.lang.String native
        z.Use.run(In, One) uses java.util.ArrayList native
        z.Use.run(In, One) uses java.util.List native
        z.Use.run(In, One) uses x.One import
        z.Use.run(In, One) uses x.One.In import
        z.Use.run(In, One) uses y.Two import
        z/Use.java imports java.lang.Math native
        z/Use.java imports java.util native
        z/Use.java imports org.slf4j.Logger external
        z/Use.java imports x/One.java import
        z/Use.java imports y/One.java import
        z/Use.java imports y/Two.java import
        loose z.Use.run(In, One) uses One 2
        """
    )


def test_kinds() -> None:
    """Static blocks, enums, records, default methods, inner and anonymous classes, varargs, generic methods."""
    sources = {
        "k/K.java": """package k;
public class K extends Base implements Runnable {
  static { boot(); }
  static void boot() {}
  enum Color { RED(1) { void paint() { mix(); } }, BLUE; Color() { this(0); } Color(int x) {} void paint() {} void mix() {} }
  record Point(int x, Item item) { Point { check(x); } static void check(int x) {} Item twin() { return item(); } }
  interface Face { int MAX = 3; void a(); default void b() { a(); } static void c() {} }
  class Inner { void up() { inherited(); run(); K.this.run(); } }
  @Override public void run() {
    super.inherited();
    new Face() { public void a() { b(); boot(); } };
    Color.RED.paint();
    int run = Face.MAX;
    Face.c();
    new Point(1, null).twin().touch();
    Runnable r = () -> inherited();
    r.run();
    System.out.println(toString());
    missing();
  }
}
class Base { Base() {} void inherited() {} void over(int... many) { over(1, 2); } <T> T same(T t) { return t; } void gen(Item i) { same(i).touch(); } }
class Item { void touch() {} }
""",
    }
    graph = outline("java", sources)
    assert told(graph) == lines(
        """
        k.Base.gen(Item) calls k.Base.same(T) receiver
        k.Base.gen(Item) calls k.Item.touch() type
        k.Base.gen(Item) uses k.Item package
        k.Base.over(int...) calls k.Base.over(int...) receiver
        k.K calls k.K.boot() receiver
        k.K extends k.Base package
        k.K implements java.lang.Runnable native
        k.K.Color calls k.K.Color.Color(int) receiver
        k.K.Color.Color() calls k.K.Color.Color(int) receiver
        k.K.Color.RED.(anonymous).paint() calls k.K.Color.mix() receiver
        k.K.Face.b() calls k.K.Face.a() interface
        k.K.Inner.up() calls k.Base.inherited() receiver
        k.K.Inner.up() calls k.K.run() receiver
        k.K.Inner.up() uses k.K local
        k.K.Point uses k.Item package
        k.K.Point.Point(int, Item) calls k.K.Point.check(int) receiver
        k.K.Point.twin() calls k.K.Point.item receiver
        k.K.Point.twin() uses k.Item package
        k.K.run() accesses java.lang.System.out native
        k.K.run() accesses k.K.Color.RED type
        k.K.run() accesses k.K.Face.MAX type
        k.K.run() calls java.lang.Object.toString native
        k.K.run() calls java.lang.Runnable.run native
        k.K.run() calls java.lang.System.out.println native
        k.K.run() calls k.Base.inherited() receiver
        k.K.run() calls k.Item.touch() type
        k.K.run() calls k.K.Color.paint() type
        k.K.run() calls k.K.Face.c() type
        k.K.run() calls k.K.Point.Point(int, Item) local
        k.K.run() calls k.K.Point.twin() type
        k.K.run() uses java.lang.Override native
        k.K.run() uses java.lang.Runnable native
        k.K.run() uses java.lang.System native
        k.K.run() uses k.K.Color local
        k.K.run() uses k.K.Face local
        k.K.run() uses k.K.Point local
        k.K.run().(anonymous) implements k.K.Face local
        k.K.run().(anonymous).a() calls k.K.Face.b() interface
        k.K.run().(anonymous).a() calls k.K.boot() receiver
        loose k.K.run() calls missing 0
        """
    )


def test_varargs_compete_with_a_fixed_count() -> None:
    """Which of the two is meant depends on types; if they are not known, both are kept."""
    source = 'class A { void log(String s, Object... o) {} void log(Throwable t, String s) {} void f() { log(y, z); } void g(Object x) { log("a", x); } }'
    assert edge_lines(outline("java", {"A.java": source}), "calls") == lines(
        """
        A.f() calls A.log(String, Object...) conditional
        A.f() calls A.log(Throwable, String) conditional
        A.g(Object) calls A.log(String, Object...) receiver
        """
    )


def test_bases_of_bases() -> None:
    """A type has the members of all its bases, whichever of them is asked first."""
    source = "class C extends B { void c() { a(); new B().a(); } } class B extends A {} class A extends Z { void a() { z(); } } class Z { void z() {} }"
    assert edge_lines(outline("java", {"C.java": source}), "calls") == lines(
        """
        A.a() calls Z.z() receiver
        C.c() calls A.a() receiver
        C.c() calls B package
        """
    )


def test_declares_and_names() -> None:
    """Canonical names carry the types of parameters, so overloads are two symbols."""
    source = "package p.q; class A { static final int N = 1; int f; A() {} void m(String[] a, int... b) {} void m(java.util.List<A> l) {} void m(Map. @X(1) Entry<A, A>[] e) {} }"
    graph = outline("java", {"A.java": source})
    kinds = {one.name: one.kind for one in graph.nodes.values() if one.origin == "project"}
    assert kinds == {
        "A.java": "file",
        "p.q.A": "type",
        "p.q.A.N": "constant",
        "p.q.A.f": "field",
        "p.q.A.A()": "method",
        "p.q.A.m(String[], int...)": "method",
        "p.q.A.m(List)": "method",
        "p.q.A.m(Entry[])": "method",
    }
    assert len(edge_lines(graph, "declares")) == len(kinds) - 1


def test_order_of_files_does_not_matter() -> None:
    """Any order of files gives the same graph."""
    sources = {
        "A.java": "package a; public class A extends B { C c; void x() { c.y().x(); z(); } class In { void q() { z(); } } }",
        "B.java": "package a; public class B { void z() {} C c() { return null; } }",
        "C.java": "package a; public class C extends A.In { A y() { q(); return new A(); } }",
    }
    check_orders("java", sources)


HOSTILE = {
    "broken": b"package ; import ; class { void ( { if enum record X(",
    "cycle": b"class A extends B { void f() { g(); super.h(); this.i(); x.y(); } } class B extends A { C x; } class C extends C {}",
    "nested": b"class A extends A.B { class B extends A { void f() { f(); g(); } } } class T<T extends T<T>> { T t; void f() { t.t.t.f(); } }",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_never_raises(name: str) -> None:
    """Whatever a file holds, it is read and linked."""
    graph = outline("java", {name + ".java": HOSTILE[name]})
    assert f"{name}.java#" in graph.nodes


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
        ("f(() -> {});", {"f(Shape)", "f(Runnable)"}),  # Shape is an interface
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
def test_overloads_are_chosen_by_the_types_of_arguments(body, callees):
    """A method is left out if an argument cannot fit, or if another one is closer."""
    text = f"{OVERLOADS}    void call() {{ {body} }}\n}}\n"
    calls = edges(outline("java", {"p/A.java": text}), "calls")
    own = [end for start, _, end, _ in calls if start == "p.A.call()" and end.startswith("p.A.")]
    assert {name.removeprefix("p.A.") for name in own} == callees


def test_inherited_overloads_and_constructors():
    """What no own method can take is taken by an inherited one."""
    text = (
        OVERLOADS
        + '    void call() { f(new Square()); new A(new RuntimeException()); new A("x"); }\n}\n'
        'class B { void call(Box<String> box) { box.add("x"); } }\n'
    )
    calls = {one[:3] for one in edges(outline("java", {"p/A.java": text}), "calls")}
    assert {one for one in calls if one[2].startswith("p.")} == {
        ("p.A.call()", "calls", "p.Base.f(Square)"),
        ("p.A.call()", "calls", "p.A.A(Throwable)"),
        ("p.A.call()", "calls", "p.A.A(String)"),
        ("p.A.call()", "calls", "p.Square"),
        ("p.B.call(Box)", "calls", "p.Box.add(T)"),
    }


def test_very_many_overloads_are_not_compared():
    """Comparing all of them for every call would take time by the square of their number."""
    text = "class A {\n" + "".join(f"  void f(T{number} t) {{}}\n" for number in range(40))
    calls = edges(outline("java", {"A.java": f'{text}  void call() {{ f("x"); }}\n}}\n'}), "calls")
    assert len(calls) == 40
    assert {via for *_, via in calls} == {"conditional"}
