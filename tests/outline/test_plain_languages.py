"""Ruby, C#, PHP and Kotlin: what is declared, imported and extended, exactly; nothing is bound by its bare name."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ghostmem.outline.graph import FORWARD, Linked
from outline.conftest import facts_of, outline

NAMES = ("ruby", "csharp", "php", "kotlin")


def edges(graph: Linked, *kinds: str) -> set[tuple[str, ...]]:
    """Return links as start, kind, end and rung; what is outside is written with its origin."""
    nodes = graph.nodes
    label = {
        key: node.name if node.origin == "project" else f"({node.origin}) {node.name}"
        for key, node in nodes.items()
    }
    return {
        (label[link.start], link.kind, label[link.end], link.via)
        for link in graph.links
        if link.kind in kinds
    }


def declared(graph: Linked) -> set[tuple[str, str, str]]:
    """Return who declares what, with its kind."""
    return {
        (graph.nodes[link.start].name, graph.nodes[link.end].name, graph.nodes[link.end].kind)
        for link in graph.links
        if link.kind == "declares"
    }


def loose(graph: Linked) -> set[tuple[str, str, str, int]]:
    """Return what stayed unresolved."""
    return {
        (graph.nodes[one.owner].name, one.kind, one.text, one.candidates) for one in graph.loose
    }


def symbols(graph: Linked) -> list[tuple[str, int, int]]:
    """Return the symbols with their lines."""
    nodes = [node for node in graph.nodes.values() if node.file and node.kind != "file"]
    return [(node.name, node.line, node.end_line) for node in nodes]


RUBY = {
    "lib/shop.rb": """require 'json'
require 'shop/cart'
require 'rails'
require_relative "shop/../missing"
module Shop
  MAX = 3
  class Error < StandardError; end
  class Cart::Line < Base
    include Comparable, Shop::Priced
    attr_reader :price, :name
    def self.make(x) = 1
    def total
      require 'set'
      helper do
        def hidden; end
      end
    end
    class << self
      def build; end
    end
    private def secret; end
  end
  Point = Struct.new(:x) do
    def norm; end
  end
  class Late < Unknown::Thing; end
  class Dynamic < make_base(1); end
  class Inner < Cart; end
end
def top; end
$flag = 1
""",
    "lib/shop/cart.rb": """module Shop
  class Cart
    extend Priced
    class Base; end
  end
  module Priced; end
end
class Base; end
class Thing; end
""",
}


def test_ruby() -> None:
    """Names are looked up from the innermost scope outwards, as Ruby does."""
    graph = outline("ruby", RUBY)
    first, second = "lib/shop.rb", "lib/shop/cart.rb"
    assert declared(graph) == {
        (first, "Shop", "module"),
        ("Shop", "Shop::MAX", "constant"),
        ("Shop", "Shop::Error", "type"),
        ("Shop", "Shop::Cart::Line", "type"),
        ("Shop::Cart::Line", "Shop::Cart::Line#price", "field"),
        ("Shop::Cart::Line", "Shop::Cart::Line#name", "field"),
        ("Shop::Cart::Line", "Shop::Cart::Line.make", "method"),
        ("Shop::Cart::Line", "Shop::Cart::Line#total", "method"),
        ("Shop::Cart::Line", "Shop::Cart::Line.build", "method"),
        ("Shop::Cart::Line", "Shop::Cart::Line#secret", "method"),
        ("Shop", "Shop::Point", "type"),
        ("Shop::Point", "Shop::Point#norm", "method"),
        ("Shop", "Shop::Late", "type"),
        ("Shop", "Shop::Dynamic", "type"),
        ("Shop", "Shop::Inner", "type"),
        (first, "top", "function"),
        (first, "$flag", "variable"),
        (second, "Shop", "module"),
        ("Shop", "Shop::Cart", "type"),
        ("Shop::Cart", "Shop::Cart::Base", "type"),
        ("Shop", "Shop::Priced", "module"),
        (second, "Base", "type"),
        (second, "Thing", "type"),
    }
    assert edges(graph, "extends", "imports") == {
        (first, "imports", "(native) json", "native"),
        (first, "imports", "(native) set", "native"),
        (first, "imports", "(external) rails", "external"),
        (first, "imports", second, "import"),
        ("Shop::Error", "extends", "(native) StandardError", "native"),
        ("Shop::Cart::Line", "extends", "Base", "module"),
        ("Shop::Cart::Line", "extends", "(native) Comparable", "native"),
        ("Shop::Cart::Line", "extends", "Shop::Priced", "module"),
        ("Shop::Point", "extends", "(native) Struct", "native"),
        ("Shop::Cart", "extends", "Shop::Priced", "module"),
        ("Shop::Inner", "extends", "Shop::Cart", "module"),
    }
    assert loose(graph) == {
        ("Shop::Late", "extends", "Unknown::Thing", 1),
        ("Shop::Dynamic", "extends", "make_base(1)", 0),
        (first, "imports", "shop/../missing", 0),
    }


CSHARP = {
    "A.cs": """using System;
using Shop.Core;
using Web = Vendor.Web;
using static System.Math;
namespace Shop.Api {
  public class Api<T> : Api, IDisposable, ISend, Web.IPage {
    const int Z = 1;
    int x, y;
    public string Name { get; set; }
    public Api(int a) {}
    void M() { void Local() {} }
    void ISend.Go() {}
    enum Kind { One, Two }
    event Action E;
  }
  class Api { }
  interface IMore : ISend { void More(); }
  record Rec(int A) : Base(A), IMore;
  struct S : System.IComparable, Unknown {}
  class Ctl : Controller {}
  class Ambiguous : Twice {}
  class Whole : global::Shop.Core.Base {}
  partial class P : Base {}
}
""",
    "B.cs": """global using Shop.Other;
namespace Shop.Core;
public class Base { class Nested : Base {} }
public interface ISend {}
public class Twice {}
""",
    "C.cs": """namespace Shop.Other { class Twice {} class Controller2 {} }
namespace Elsewhere { class Controller {} class Unknown {} }
""",
}


def test_csharp() -> None:
    """Types come from the enclosing types and namespaces, then from what is used; the kind of the target tells the relation."""
    graph = outline("csharp", CSHARP)
    assert {
        one
        for one in declared(graph)
        if one[0] in {"A.cs", "Shop.Api.Api", "Shop.Api.Rec", "Shop.Api.Api.Kind", "Shop.Core.Base"}
    } == {
        ("A.cs", "Shop.Api.Api", "type"),
        ("A.cs", "Shop.Api.IMore", "interface"),
        ("A.cs", "Shop.Api.Rec", "type"),
        ("A.cs", "Shop.Api.S", "type"),
        ("A.cs", "Shop.Api.Ctl", "type"),
        ("A.cs", "Shop.Api.Ambiguous", "type"),
        ("A.cs", "Shop.Api.Whole", "type"),
        ("A.cs", "Shop.Api.P", "type"),
        ("Shop.Api.Api", "Shop.Api.Api.Z", "constant"),
        ("Shop.Api.Api", "Shop.Api.Api.x", "field"),
        ("Shop.Api.Api", "Shop.Api.Api.y", "field"),
        ("Shop.Api.Api", "Shop.Api.Api.Name", "field"),
        ("Shop.Api.Api", "Shop.Api.Api.Api", "method"),
        ("Shop.Api.Api", "Shop.Api.Api.M", "method"),
        ("Shop.Api.Api", "Shop.Api.Api.ISend.Go", "method"),
        ("Shop.Api.Api", "Shop.Api.Api.Kind", "type"),
        ("Shop.Api.Api", "Shop.Api.Api.E", "field"),
        ("Shop.Api.Api.Kind", "Shop.Api.Api.Kind.One", "constant"),
        ("Shop.Api.Api.Kind", "Shop.Api.Api.Kind.Two", "constant"),
        ("Shop.Api.Rec", "Shop.Api.Rec.A", "field"),
        ("Shop.Core.Base", "Shop.Core.Base.Nested", "type"),
    }
    assert edges(graph, "extends", "implements", "imports") == {
        ("A.cs", "imports", "(native) System", "native"),
        ("A.cs", "imports", "(native) System.Math", "native"),
        ("A.cs", "imports", "(external) Vendor.Web", "external"),
        ("A.cs", "imports", "B.cs", "import"),
        ("B.cs", "imports", "C.cs", "import"),
        ("Shop.Api.Api", "extends", "Shop.Api.Api", "module"),
        ("Shop.Api.Api", "implements", "(native) System.IDisposable", "native"),
        ("Shop.Api.Api", "implements", "Shop.Core.ISend", "import"),
        ("Shop.Api.Api", "implements", "(external) Vendor.Web.IPage", "external"),
        ("Shop.Api.IMore", "extends", "Shop.Core.ISend", "import"),
        ("Shop.Api.Rec", "extends", "Shop.Core.Base", "import"),
        ("Shop.Api.Rec", "implements", "Shop.Api.IMore", "module"),
        ("Shop.Api.S", "implements", "(native) System.IComparable", "native"),
        ("Shop.Api.Whole", "extends", "Shop.Core.Base", "import"),
        ("Shop.Api.P", "extends", "Shop.Core.Base", "import"),
        ("Shop.Core.Base.Nested", "extends", "Shop.Core.Base", "module"),
    }
    assert loose(graph) == {
        ("Shop.Api.S", "implements", "Unknown", 1),
        ("Shop.Api.Ctl", "extends", "Controller", 1),
        ("Shop.Api.Ambiguous", "extends", "Twice", 2),
    }
    (own,) = [
        link
        for link in graph.links
        if link.kind == "extends" and graph.nodes[link.start].name == "Shop.Api.Api"
    ]
    assert own.start != own.end


PHP = {
    "src/Mail/Sender.php": """<?php
namespace App\\Mail;
use App\\Core\\{Base, Logs as Logging};
use function App\\Core\\helper;
use Vendor\\Kit\\Thing;
use Countable;
require_once __DIR__ . '/../boot.php';
include "gone.php";
const MAX = 1, MIN = 2;
abstract class Sender extends Base implements Countable, Local, Thing, Sub\\Far {
  use Logging;
  const LIMIT = 1;
  public static int $count = 0, $b;
  public function __construct(private string $name, int $x) {}
  function send() { function inner() {} }
}
interface Local extends \\Traversable, \\Other\\Pkg {}
enum Suit: string implements Local { case Hearts = 'H'; }
class Wrong extends Exception {}
class Same extends namespace\\Sender {}
if (!function_exists('top')) { function top() {} }
$c = new class extends Foo { function hidden() {} };
""",
    "src/boot.php": """<?php
namespace App\\Core { class Base {} trait Logs { function log() {} } function helper() {} }
namespace { class Far extends Exception {} }
""",
}


def test_php() -> None:
    """What is used wins, then the own namespace; a class never falls back to the global one."""
    graph = outline("php", PHP)
    first, second = "src/Mail/Sender.php", "src/boot.php"
    sender = "App\\Mail\\Sender"
    assert declared(graph) == {
        (first, "App\\Mail\\MAX", "constant"),
        (first, "App\\Mail\\MIN", "constant"),
        (first, sender, "type"),
        (sender, f"{sender}::LIMIT", "constant"),
        (sender, f"{sender}::$count", "field"),
        (sender, f"{sender}::$b", "field"),
        (sender, f"{sender}::$name", "field"),
        (sender, f"{sender}::__construct", "method"),
        (sender, f"{sender}::send", "method"),
        (first, "App\\Mail\\Local", "interface"),
        (first, "App\\Mail\\Suit", "type"),
        ("App\\Mail\\Suit", "App\\Mail\\Suit::Hearts", "constant"),
        (first, "App\\Mail\\Wrong", "type"),
        (first, "App\\Mail\\Same", "type"),
        (first, "App\\Mail\\top", "function"),
        (second, "App\\Core\\Base", "type"),
        (second, "App\\Core\\Logs", "type"),
        ("App\\Core\\Logs", "App\\Core\\Logs::log", "method"),
        (second, "App\\Core\\helper", "function"),
        (second, "Far", "type"),
    }
    assert edges(graph, "extends", "implements", "imports") == {
        (first, "imports", "App\\Core\\Base", "import"),
        (first, "imports", "App\\Core\\Logs", "import"),
        (first, "imports", "App\\Core\\helper", "import"),
        (first, "imports", "(external) Vendor\\Kit\\Thing", "external"),
        (first, "imports", "(native) Countable", "native"),
        (first, "imports", second, "import"),
        (sender, "extends", "App\\Core\\Base", "import"),
        (sender, "extends", "App\\Core\\Logs", "import"),
        (sender, "implements", "(native) Countable", "native"),
        (sender, "implements", "App\\Mail\\Local", "import"),
        (sender, "implements", "(external) Vendor\\Kit\\Thing", "external"),
        ("App\\Mail\\Local", "extends", "(native) Traversable", "native"),
        ("App\\Mail\\Local", "extends", "(external) Other\\Pkg", "external"),
        ("App\\Mail\\Suit", "implements", "App\\Mail\\Local", "module"),
        ("App\\Mail\\Same", "extends", sender, "import"),
        ("Far", "extends", "(native) Exception", "native"),
    }
    assert loose(graph) == {
        (first, "imports", "gone.php", 0),
        (sender, "implements", "App\\Mail\\Sub\\Far", 1),
        ("App\\Mail\\Wrong", "extends", "App\\Mail\\Exception", 0),
    }


KOTLIN = {
    "a/Api.kt": """package shop.api

import shop.core.Base
import shop.core.Logs as Logging
import shop.other.*
import vendor.kit.Thing
import java.io.Closeable

const val MAX = 1
val ready = true
typealias Names = List<String>

open class Api<T>(val n: Int, m: Int) : Base<T>(n), Logging, Closeable, Thing {
    companion object {
        fun make() {}
    }
    constructor() : this(1, 2)
    val prop: Int = 1
    fun go() { fun local() {} }
    class Nested : Inner()
    open class Inner
}

interface More : Logging {
    fun more()
}

enum class Kind : More {
    ONE, TWO;
    fun h() {}
}

class Late : Base {
    constructor() : super(1)
}

class Fail(x: String) : Exception(x)
class Star : Starred()
class Lost : Elsewhere()
class Full : java.util.ArrayList<String>()
class By(d: More) : More by d

fun String.ext(): Int = 1
""",
    "b/Core.kt": """package shop.core

open class Base<T>(n: Int)

interface Logs
""",
    "c/Other.kt": """package shop.other

open class Starred
""",
    "d/Far.kt": """package far

open class Elsewhere
""",
}


def test_kotlin() -> None:
    """Imports win over the package, stars come last; what is called is a class."""
    graph = outline("kotlin", KOTLIN)
    first, api = "a/Api.kt", "shop.api.Api"
    assert {one for one in declared(graph) if one[0].startswith(("a/", "shop.api"))} == {
        (first, "shop.api.MAX", "constant"),
        (first, "shop.api.ready", "variable"),
        (first, "shop.api.Names", "type"),
        (first, api, "type"),
        (api, "shop.api.Api.n", "field"),
        (api, "shop.api.Api.Companion", "type"),
        ("shop.api.Api.Companion", "shop.api.Api.Companion.make", "method"),
        (api, "shop.api.Api.constructor", "method"),
        (api, "shop.api.Api.prop", "field"),
        (api, "shop.api.Api.go", "method"),
        (api, "shop.api.Api.Nested", "type"),
        (api, "shop.api.Api.Inner", "type"),
        (first, "shop.api.More", "interface"),
        ("shop.api.More", "shop.api.More.more", "method"),
        (first, "shop.api.Kind", "type"),
        ("shop.api.Kind", "shop.api.Kind.ONE", "constant"),
        ("shop.api.Kind", "shop.api.Kind.TWO", "constant"),
        ("shop.api.Kind", "shop.api.Kind.h", "method"),
        (first, "shop.api.Late", "type"),
        ("shop.api.Late", "shop.api.Late.constructor", "method"),
        (first, "shop.api.Fail", "type"),
        (first, "shop.api.Star", "type"),
        (first, "shop.api.Lost", "type"),
        (first, "shop.api.Full", "type"),
        (first, "shop.api.By", "type"),
        (first, "shop.api.ext", "function"),
    }
    assert edges(graph, "extends", "implements", "imports") == {
        (first, "imports", "shop.core.Base", "import"),
        (first, "imports", "shop.core.Logs", "import"),
        (first, "imports", "c/Other.kt", "import"),
        (first, "imports", "(external) vendor.kit.Thing", "external"),
        (first, "imports", "(native) java.io.Closeable", "native"),
        (api, "extends", "shop.core.Base", "import"),
        (api, "implements", "shop.core.Logs", "import"),
        (api, "implements", "(native) java.io.Closeable", "native"),
        (api, "implements", "(external) vendor.kit.Thing", "external"),
        ("shop.api.Api.Nested", "extends", "shop.api.Api.Inner", "receiver"),
        ("shop.api.More", "extends", "shop.core.Logs", "import"),
        ("shop.api.Kind", "implements", "shop.api.More", "module"),
        ("shop.api.Late", "extends", "shop.core.Base", "import"),
        ("shop.api.Fail", "extends", "(native) kotlin.Exception", "native"),
        ("shop.api.Star", "extends", "shop.other.Starred", "import"),
        ("shop.api.Full", "extends", "(native) java.util.ArrayList", "native"),
        ("shop.api.By", "implements", "shop.api.More", "module"),
    }
    assert loose(graph) == {("shop.api.Lost", "extends", "Elsewhere", 1)}


SOURCES: dict[str, dict[str, str]] = {"ruby": RUBY, "csharp": CSHARP, "php": PHP, "kotlin": KOTLIN}


@pytest.mark.parametrize("name", NAMES)
def test_fixtures_parse_and_say_what_is_missing(name: str) -> None:
    """No fixture has an error; signatures are one line; relations that are not found are noted."""
    assert all(facts.errors == [] for facts in facts_of(name, SOURCES[name]).values())
    graph = outline(name, SOURCES[name])
    assert all("\n" not in node.signature for node in graph.nodes.values())
    kinds = {link.kind for link in graph.links}
    without = [kind for kind in FORWARD if kind not in kinds]
    assert graph.notes == [f"{name}: {', '.join(without)} are not looked for"]


@pytest.mark.parametrize("name", NAMES)
def test_names_may_be_missing(name: str) -> None:
    """Words without what should follow them declare nothing, and stop nothing."""
    words = "class < ; class : { } namespace ; use ; import ; using ; module ; interface extends ; def ; fun ; enum"
    assert outline(name, {"x": f"<?php {words}" if name == "php" else words}).nodes["x#"]


@settings(deadline=None, max_examples=60)
@given(data=st.data(), name=st.sampled_from(NAMES))
def test_damaged_files_never_raise(data: Any, name: str) -> None:
    """A fixture with a piece cut out still gives a graph that hangs together."""
    text = data.draw(st.sampled_from(list(SOURCES[name].values())))
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 40)))
    graph = outline(name, {"x": text[:start] + text[stop:]})
    assert all(link.start in graph.nodes and link.end in graph.nodes for link in graph.links)
    assert all(one.owner in graph.nodes for one in graph.loose)


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_right_in_a_long_file(name: str) -> None:
    """Also past line 256, where a careless look at a point gives another number."""
    one = {
        "ruby": "class A{}; end",
        "csharp": "class A{} {{ }}",
        "php": "class A{} {{ }}",
        "kotlin": "class A{}",
    }[name]
    lines = ["<?php" if name == "php" else "", *(one.format(number) for number in range(2000))]
    graph = outline(name, {"x": "\n".join(lines)})
    assert symbols(graph) == [(f"A{number}", number + 2, number + 2) for number in range(2000)]


def test_kotlin_bodies_on_one_line() -> None:
    """The grammar wants the last member of a body to end; a body on one line hides nothing."""
    source = """package a
interface Face { fun m() }
object Single : Face { override fun m() {} }
class P { companion object { const val K = "${ 1 }" } }
fun interface Op { operator fun invoke(x: Int): Int }
fun last() = listOf(1).map { it + 1 }
"""
    assert facts_of("kotlin", {"a.kt": source})["a.kt"].errors == []
    graph = outline("kotlin", {"a.kt": source})
    assert [place[:2] for place in symbols(graph)] == [
        ("a.Face", 2),
        ("a.Face.m", 2),
        ("a.Single", 3),
        ("a.Single.m", 3),
        ("a.P", 4),
        ("a.P.Companion", 4),
        ("a.P.Companion.K", 4),
        ("a.Op", 5),
        ("a.Op.invoke", 5),
        ("a.last", 6),
    ]
    assert (
        next(node.signature for node in graph.nodes.values() if node.name == "a.Face")
        == "interface Face { fun m() }"
    )


@pytest.mark.parametrize(
    ("language", "source", "signatures"),
    [
        ("java", "@A @B({1, f(2)})\nclass C {\n  @Override public void m() {\n    go();\n  }\n  @interface I {}\n}\n",
         ["class C", "public void m()", "@interface I {}"]),
        ("kotlin", "@JvmInline value class C(x: Int)\n", ["value class C(x: Int)"]),
        ("csharp", "[A(\"x\")]\nclass C {\n  [Test] int[] M() {\n  }\n}\n", ["class C", "int[] M()"]),
        ("php", "<?php\n#[A(1)]\nclass C {\n  #[B] function m() {\n  }\n}\n", ["class C", "function m()"]),
    ],
)  # fmt: skip
def test_signatures_are_without_annotations(
    language: str, source: str, signatures: list[str]
) -> None:
    """On lines of their own or not, they are no part of the signature."""
    graph = outline(language, {"a": source})
    nodes = [node for node in graph.nodes.values() if node.file and node.kind != "file"]
    assert [node.signature for node in sorted(nodes, key=lambda node: node.line)] == signatures
