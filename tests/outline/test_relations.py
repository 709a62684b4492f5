"""All fourteen relations in each of the eight languages: six with their reverse, `declares` and `imports`"""

import re

import pytest

from ghostmem.outline.graph import FORWARD, KINDS, REVERSE
from ghostmem.outline.tree import Options
from outline.conftest import build, lines, outline

# Relations that a language does not have: C has no inheritance, JavaScript no interfaces, and C++
# none apart from classes, which are extended.
WITHOUT = {"c": {"extends", "implements"}, "cpp": {"implements"}, "javascript": {"implements"}}

# by language: sources by path, and one edge of each kind
CASES = {
    "go": (
        {
            "go.mod": "module example.org/shop\n",
            "shop.go": """\
package shop

import "fmt"

var total int

type Shape interface{ Area() int }

type Base struct{}

type Circle struct{ Base }

func (c *Circle) Area() int { return total }

func run(c *Circle) {
	total = helper()
	fmt.Println(total)
}

func helper() int { return 1 }
""",
        },
        """
        shop.run calls shop.helper
        shop.(*Circle).Area accesses shop.total
        shop.run assigns shop.total
        shop.run uses shop.Circle
        shop.Circle extends shop.Base
        shop.Circle implements shop.Shape
        shop.Circle declares shop.(*Circle).Area
        shop.go imports fmt
        """,
    ),
    "python": (
        {
            "shop.py": """\
import json
from abc import ABC, abstractmethod

total = 0


class Shape(ABC):
    @abstractmethod
    def area(self): ...


class Circle(Shape):
    def area(self):
        return json.dumps(total)


def run(circle: Circle):
    global total
    total = helper()


def helper(): ...
""",
        },
        """
        shop.run calls shop.helper
        shop.Circle.area accesses shop.total
        shop.run assigns shop.total
        shop.run uses shop.Circle
        shop.Circle extends shop.Shape
        shop.Circle implements shop.Shape
        shop.Circle declares shop.Circle.area
        shop imports json
        """,
    ),
    "typescript": (
        {
            "shop.ts": """\
import { format } from "./text";
let total = 0;
interface Shape { area(): number; }
class Base {}
class Circle extends Base implements Shape { area() { return total; } }
function run(circle: Circle) { total = helper(); format(); }
function helper() { return 1; }
""",
            "text.ts": "export function format() {}\n",
        },
        """
        shop#run calls shop#helper
        shop#Circle.area accesses shop#total
        shop#run assigns shop#total
        shop#run uses shop#Circle
        shop#Circle extends shop#Base
        shop#Circle implements shop#Shape
        shop#Circle declares shop#Circle.area
        shop.ts imports text.ts
        """,
    ),
    "javascript": (
        {
            "shop.js": """\
import { format } from "./text";
let total = 0;
class Base {}
class Circle extends Base { area() { return total; } }
function run() { total = helper(); format(); return new Circle(); }
function helper() { return 1; }
""",
            "text.js": "export function format() {}\n",
        },
        """
        shop#run calls shop#helper
        shop#Circle.area accesses shop#total
        shop#run assigns shop#total
        shop#run uses shop#Circle
        shop#Circle extends shop#Base
        shop#Circle declares shop#Circle.area
        shop.js imports text.js
        """,
    ),
    "java": (
        {
            "shop/Shop.java": """\
package shop;
import java.util.List;
interface Shape { int area(); }
class Base {}
class Circle extends Base implements Shape {
  static int total;
  public int area() { return total; }
  static void run(Circle circle, List<Circle> all) { total = helper(); }
  static int helper() { return 1; }
}
""",
        },
        """
        shop.Circle.run(Circle, List) calls shop.Circle.helper()
        shop.Circle.area() accesses shop.Circle.total
        shop.Circle.run(Circle, List) assigns shop.Circle.total
        shop.Circle.run(Circle, List) uses shop.Circle
        shop.Circle extends shop.Base
        shop.Circle implements shop.Shape
        shop.Circle declares shop.Circle.area()
        shop/Shop.java imports java.util.List
        """,
    ),
    "rust": (
        {
            "src/lib.rs": """\
use std::fmt::Debug;
static mut TOTAL: i32 = 0;
trait Base {}
trait Shape: Base { fn area(&self) -> i32; }
struct Circle;
impl Base for Circle {}
impl Shape for Circle { fn area(&self) -> i32 { unsafe { TOTAL } } }
fn run(circle: Circle) { unsafe { TOTAL = helper(); } }
fn helper() -> i32 { 1 }
""",
        },
        """
        crate::run calls crate::helper
        <Circle as Shape>::area accesses crate::TOTAL
        crate::run assigns crate::TOTAL
        crate::run uses crate::Circle
        crate::Shape extends crate::Base
        crate::Circle implements crate::Shape
        crate::Circle declares <Circle as Shape>::area
        src/lib.rs imports std::fmt::Debug
        """,
    ),
    "c": (
        {
            "shop.c": """\
#include <stdio.h>
int total;
struct circle { int radius; };
int area(void) { return total; }
int helper(void) { return 1; }
void run(struct circle *c) { total = helper(); }
""",
        },
        """
        run calls helper
        area accesses total
        run assigns total
        run uses circle
        circle declares circle::radius
        shop.c imports stdio.h
        """,
    ),
    "cpp": (
        {
            "shop.cpp": """\
#include <vector>
int total;
struct Base {};
struct Circle : Base { int area() { return total; } };
int helper() { return 1; }
void run(Circle &c) { total = helper(); }
""",
        },
        """
        run calls helper
        Circle::area accesses total
        run assigns total
        run uses Circle
        Circle extends Base
        Circle declares Circle::area
        shop.cpp imports vector
        """,
    ),
}


def edge(line: str) -> tuple[str, str, str]:
    """Return the start, kind and end of an edge as written."""
    found = re.fullmatch(rf"(.*?) ({'|'.join(FORWARD)}) (.*)", line)
    assert found
    return found[1], found[2], found[3]


@pytest.mark.parametrize("language", CASES)
def test_every_relation_is_found(language: str) -> None:
    """One edge of each forward kind; what is missing is a kind that the language does not have."""
    sources, expected = CASES[language]
    files = {path: text for path, text in sources.items() if path != "go.mod"}
    graph = outline(language, files, {"go.mod": sources.get("go.mod", "")})
    names = {key: node.name for key, node in graph.nodes.items()}
    found = {f"{names[link.start]} {link.kind} {names[link.end]}" for link in graph.links}
    assert lines(expected) <= found
    kinds = {edge(line)[1] for line in lines(expected)}
    assert kinds == set(FORWARD) - WITHOUT.get(language, set())


@pytest.mark.parametrize("language", CASES)
def test_every_relation_is_shown_both_ways(language: str) -> None:
    """The tree of an edge's start has the kind, and that of its end the reverse kind."""
    sources, expected = CASES[language]
    files = {path: text for path, text in sources.items() if path != "go.mod"}
    graph = outline(language, files, {"go.mod": sources.get("go.mod", "")})
    shown = set()
    for branch in build(graph, graph.nodes.values(), Options(depth=1)).matches:
        for kind, children in branch.relations.items():
            shown |= {(branch.node.name, kind, child.node.name) for child in children}
    for line in lines(expected):
        start, kind, end = edge(line)
        assert (start, kind, end) in shown
        if kind in REVERSE:
            assert (end, REVERSE[kind], start) in shown
    without = WITHOUT.get(language, set())
    hidden = without | {REVERSE[kind] for kind in without}
    assert set(KINDS) - hidden <= {kind for _, kind, _ in shown}
