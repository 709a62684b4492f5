"""JavaScript and TypeScript: the failures that other outlines are known for, each with the exact set of edges."""

from hashlib import sha256

import pytest

pytest.importorskip("tree_sitter")
pytest.importorskip("tree_sitter_javascript")
pytest.importorskip("tree_sitter_typescript")

from outline.conftest import check_orders, edge_lines, facts_of, lines, loose_lines, outline, told

CALLS = ("calls", "accesses", "assigns", "uses", "extends", "implements")


def test_same_name() -> None:
    """A method of a field is not the class's own method of that name; an untyped field stays loose."""
    sources = {
        "src/mailer.ts": """
export class Mailer { send(to: string): void {} }
""",
        "src/service.ts": """
import { Mailer } from "./mailer";
export class Service {
  constructor(private mailer: Mailer, private other) {}
  send(to: string) { this.mailer.send(to); }
  resend(to: string) { this.send(to); this.other.send(to); }
}
""",
    }
    graph = outline("typescript", sources)
    assert told(graph) == lines(
        """
        src/service#Service.constructor uses src/mailer#Mailer import
        src/service#Service.resend calls src/service#Service.send receiver
        src/service#Service.send calls src/mailer#Mailer.send type
        src/service.ts imports src/mailer.ts import
        loose src/service#Service.resend calls this.other.send 2
        """
    )


def test_path() -> None:
    """An import named like a property, and a library function named like a method, bind to the library."""
    sources = {
        "a.ts": """
import path from "path";
import { take } from "rxjs";
import { readFile } from "node:fs";
import type { Request } from "express";
class Store { path = 1; take(n: number) {} join() {} }
export function run(req: Request, values) { take(1); path.join("a", "b"); values.take(2); readFile("x"); req.header("y"); }
""",
    }
    graph = outline("typescript", sources)
    assert told(graph) == lines(
        """
        a#run calls express#Request.header external
        a#run calls fs.readFile native
        a#run calls path.join native
        a#run calls rxjs#take external
        a#run uses express#Request external
        a.ts imports express external
        a.ts imports fs native
        a.ts imports path native
        a.ts imports rxjs external
        loose a#run calls values.take 1
        """
    )


def test_chains() -> None:
    """Singletons, chained calls, awaited arrays, callbacks, casts and maps keep the receiver's type."""
    sources = {
        "db.ts": """
export class Row { text(): string { return ""; } }
export class Query { where(x: string): this { return this; } rows(): Promise<Row[]> { return null!; } }
export class Db {
  private static one: Db;
  static instance(): Db { return Db.one ??= new Db(); }
  query() { return new Query(); }
}
""",
        "use.ts": """
import { Db, Row } from "./db";
async function all() {
  const rows = await Db.instance().query().where("a").where("b").rows();
  for (const row of rows) row.text().trim();
  rows.map(one => one.text());
  (rows[0] as Row).text();
  const map = new Map<string, Row>();
  map.get("x")!.text();
  unknown().text();
}
""",
    }
    graph = outline("typescript", sources)
    assert told(graph) == lines(
        """
        db#Db uses db#Db module
        db#Db.instance accesses db#Db.one type
        db#Db.instance assigns db#Db.one type
        db#Db.instance calls db#Db module
        db#Db.instance uses db#Db module
        db#Db.query calls db#Query module
        db#Db.query uses db#Query module
        db#Query.rows uses Promise native
        db#Query.rows uses db#Row module
        use#all calls Array.map native
        use#all calls Map native
        use#all calls Map.get native
        use#all calls String.trim native
        use#all calls db#Db.instance type
        use#all calls db#Db.query type
        use#all calls db#Query.rows type
        use#all calls db#Query.where type
        use#all calls db#Row.text type
        use#all uses Map native
        use#all uses db#Db import
        use#all uses db#Row import
        use.ts imports db.ts import
        loose use#all calls unknown 0
        loose use#all calls unknown().text 1
        """
    )


def test_barrels() -> None:
    """Re-exports, aliases, barrels and tsconfig paths are followed; a name that two stars have is nobody's."""
    sources = {
        "lib/a.ts": """export function one() {}
export default function main() {}""",
        "lib/b.ts": """export const two = () => {};
export function clash() {}""",
        "lib/c.ts": """export function clash() {}""",
        "lib/index.ts": """
export * from "./a"; export * from "./b"; export * from "./c"; export { two as deux } from "./b"; export { default as start } from "./a"; export * as space from "./b";
""",
        "app.ts": """
import { one, deux as zwei, start, clash, space } from "./lib";
import * as lib from "./lib/index";
import main from "@/a";
one(); zwei(); start(); clash(); space.two(); lib.one(); main();
""",
    }
    graph = outline(
        "typescript",
        sources,
        {
            "tsconfig.json": '{ "compilerOptions": { /* where */ "baseUrl": ".", "paths": { "@/*": ["lib/*"], }, } }'
        },
    )
    assert told(graph) == lines(
        """
        app.ts calls lib/a#main import
        app.ts calls lib/a#one import
        app.ts calls lib/b#two import
        app.ts imports lib/a.ts import
        app.ts imports lib/index.ts import
        lib/index.ts imports lib/a.ts import
        lib/index.ts imports lib/b.ts import
        lib/index.ts imports lib/c.ts import
        loose app.ts calls clash 2
        """
    )


def test_scopes() -> None:
    """Locals shadow, closures resolve, calls outside functions belong to the file, object methods are symbols."""
    sources = {
        "s.js": """
let count = 0;
const LIMIT = 3;
function tick() { count += 1; return LIMIT; }
function outer(tick) {
  tick();
  const inner = () => { count = 2; helper(); };
  function helper() { return LIMIT; }
  { const LIMIT = 1; use(LIMIT); }
  return [1].map(() => inner());
}
const api = { go() { return this.stop(); }, stop: () => tick(), get size() { return 1; } };
function make() { return { run() { tick(); } }; }
tick();
api.go();
make().run();
""",
    }
    graph = outline("javascript", sources)
    assert told(graph) == lines(
        """
        s#api.go calls s#api.stop receiver
        s#api.stop calls s#tick module
        s#make.run calls s#tick module
        s#outer calls Array.map native
        s#outer calls s#outer.inner local
        s#outer.helper accesses s#LIMIT module
        s#outer.inner assigns s#count module
        s#outer.inner calls s#outer.helper local
        s#tick accesses s#LIMIT module
        s#tick accesses s#count module
        s#tick assigns s#count module
        s.js accesses s#api module
        s.js calls s#api.go type
        s.js calls s#make module
        s.js calls s#make.run type
        s.js calls s#tick module
        loose s#outer calls tick 1
        loose s#outer calls use 0
        """
    )


def test_members() -> None:
    """Static fields, accessors, arrow fields, interfaces, generics and enums."""
    sources = {
        "m.ts": """
interface Shape { area(): number; }
abstract class Base<T> implements Shape {
  static made = 0;
  protected item: T;
  area() { return 1; }
  constructor() { Base.made++; }
  get value(): T { return this.item; }
  set value(v: T) { this.item = v; }
  abstract draw(): void;
}
class Item { use() {} }
class Box extends Base<Item> {
  handler = () => { this.draw(); };
  draw() { super.area(); this.value.use(); this.value = new Item(); this.item.use(); }
  static of() { return new Box(); }
}
enum Color { Red, Green = 2 }
function show(shape: Shape, color: Color = Color.Red, either: Item | Box) { shape.area(); Box.of().draw(); Box.made; }
const paint = { red: Color.Red };
""",
    }
    graph = outline("typescript", sources)
    assert told(graph) == lines(
        """
        m#Base implements m#Shape module
        m#Base.constructor accesses m#Base.made type
        m#Base.constructor assigns m#Base.made type
        m#Base.constructor uses m#Base module
        m#Box extends m#Base module
        m#Box uses m#Item module
        m#Box.draw calls m#Base.area receiver
        m#Box.draw calls m#Base.value receiver
        m#Box.draw calls m#Item module
        m#Box.draw calls m#Item.use type
        m#Box.draw uses m#Item module
        m#Box.handler calls m#Box.draw receiver
        m#Box.of calls m#Base.constructor module
        m#Box.of uses m#Box module
        m#show accesses m#Base.made type
        m#show accesses m#Color.Red type
        m#show calls m#Box.draw type
        m#show calls m#Box.of type
        m#show calls m#Shape.area interface
        m#show uses m#Box module
        m#show uses m#Color module
        m#show uses m#Item module
        m#show uses m#Shape module
        m.ts accesses m#Color.Red type
        m.ts uses m#Color module
        """
    )


def test_commonjs() -> None:
    """require, module.exports, prototypes and functions hung on objects."""
    sources = {
        "lib/app.js": """
var proto = require('./proto');
var { join } = require('path');
exports = module.exports = createApp;
function createApp() { var app = {}; proto.init(); return join('a'); }
exports.Router = function Router() { return new Thing(); };
function Thing() { this.start(); }
Thing.prototype.start = function () { this.stop(); };
Thing.prototype.stop = function stop() {};
Thing.create = function () { return new Thing(); };
""",
        "lib/proto.js": """
var app = module.exports = {};
exports.helper = () => 1;
app.init = function init() { this.more(); };
app.more = function () {};
""",
        "index.js": """
const app = require('./lib/app');
const { Router } = app;
app(); app.Router(); require('./lib/proto').init();
import('left-pad');
""",
    }
    graph = outline("javascript", sources)
    assert told(graph) == lines(
        """
        index.js calls lib/app#Router type
        index.js calls lib/app#createApp import
        index.js calls lib/proto#app.init type
        index.js uses lib/app#createApp import
        lib/app.js uses lib/app#createApp module
        lib/app#Router calls lib/app#Thing module
        lib/app#Thing calls lib/app#Thing.start receiver
        lib/app#Thing.create calls lib/app#Thing module
        lib/app#Thing.start calls lib/app#Thing.stop receiver
        lib/app#createApp accesses lib/proto#app import
        lib/app#createApp calls lib/proto#app.init type
        lib/app#createApp calls path.join native
        lib/proto#app.init calls lib/proto#app.more receiver
        index.js imports left-pad external
        index.js imports lib/app.js import
        index.js imports lib/proto.js import
        lib/app.js imports lib/proto.js import
        lib/app.js imports path native
        """
    )


def test_jsx() -> None:
    """A component is called where its element stands; decorators are calls; a base from a package stays outside."""
    sources = {
        "v.tsx": """
import React, { useState } from "react";
function Row(props: { name: string }) { return <b>{props.name}</b>; }
class View extends React.Component { render() { this.setState({}); return <Row name="x" />; } }
@register
export class Widget { @input() name: string; }
function register(x) {}
""",
    }
    graph = outline("typescript", sources)
    assert told(graph) == lines(
        """
        v#View extends react#Component external
        v#View.render calls react#Component.setState external
        v#View.render calls v#Row module
        v.tsx calls v#register module
        v.tsx imports react external
        loose v#Widget calls input 0
        """
    )


def test_declares_and_bodies() -> None:
    """Files declare symbols, classes their members; a symbol's body is the hash of its text."""
    source = "export class A { static n = 1; go() {} }\nexport const f = () => 1;\n"
    graph = outline("typescript", {"src/x.ts": source})
    assert edge_lines(graph, "declares") == lines(
        """
        src/x.ts declares src/x#A local
        src/x#A declares src/x#A.n local
        src/x#A declares src/x#A.go local
        src/x.ts declares src/x#f local
        """
    )
    kinds = {one.name: one.kind for one in graph.nodes.values()}
    assert kinds == {
        "src/x.ts": "file",
        "src/x#A": "type",
        "src/x#A.n": "field",
        "src/x#A.go": "method",
        "src/x#f": "function",
    }
    method = next(one for one in graph.nodes.values() if one.name == "src/x#A.go")
    assert method.body == sha256(b"go() {}").hexdigest()


def test_overloads_are_one_function() -> None:
    """The signatures of a TypeScript function and its body are one symbol, whose result is not guessed."""
    source = "function f(a: string): A;\n// more\nfunction f(a: number): B;\nfunction f(a) { return a; }\nclass A { x() {} }\nclass B { x() {} }\nf(1).x();"
    graph = outline("typescript", {"o.ts": source})
    assert edge_lines(graph, "calls") == {"o.ts calls o#f module"}
    assert loose_lines(graph) == {"o.ts calls f().x 2"}


def test_binding_is_not_calling() -> None:
    """`bind` gives a function, `call` runs it; what is bound is still known."""
    source = "function f() {}\nfunction g() { const h = f.bind(null); return h; }\nfunction k() { const h = f.bind(null); h(); }\nfunction c() { f.call(null); }"
    assert edge_lines(outline("javascript", {"b.js": source}), "calls") == lines(
        """
        b#g calls Function.bind native
        b#k calls Function.bind native
        b#k calls b#f local
        b#c calls b#f type
        """
    )


def test_var_belongs_to_its_function() -> None:
    """A name that a block declares with var is known after the block."""
    source = "function T() {}\nT.prototype.go = function () {};\nfunction f(a) { if (a) { var t = new T(); } t.go(); }"
    assert edge_lines(outline("javascript", {"v.js": source}), "calls") == {
        "v#f calls v#T module",
        "v#f calls v#T.go type",
    }


def test_union_keeps_every_candidate() -> None:
    """A value of one of two types calls the methods of both."""
    source = "class A { x() {} }\nclass B { x() {} }\nfunction f(v: A | B | null) { v.x(); }"
    graph = outline("typescript", {"u.ts": source})
    assert edge_lines(graph, "calls") == {
        "u#f calls u#A.x conditional",
        "u#f calls u#B.x conditional",
    }


def test_namespaces_and_workspace_packages() -> None:
    """A namespace's members and a package of the same repository are found by name."""
    sources = {
        "packages/core/src/index.ts": "export namespace Net { export const port = 1; export function open() { return port; } }",
        "packages/app/main.ts": "import { Net } from '@acme/core'; Net.open(); console.log(Net.port);",
    }
    graph = outline("typescript", sources, {"packages/core/package.json": '{"name": "@acme/core"}'})
    assert edge_lines(graph, "calls", "accesses", "imports") == lines(
        """
        packages/app/main.ts calls packages/core/src/index#Net.open import
        packages/app/main.ts calls console.log native
        packages/app/main.ts accesses packages/core/src/index#Net.port import
        packages/app/main.ts imports packages/core/src/index.ts import
        packages/core/src/index#Net.open accesses packages/core/src/index#Net.port module
        """
    )


MANY = {
    "a.ts": "import { b } from './b'; export class A { b = b(); run() { return this.b.run(); } }",
    "b.ts": "import { A } from './a'; export * from './c'; export function b() { return new A(); }",
    "c.ts": "export * from './b'; export { A } from './a'; export const d = () => d();",
    "d.ts": "import * as all from './c'; all.b().run(); all.d(); new all.A().b.b.b.run();",
}


def test_order_of_files_does_not_matter() -> None:
    """Any order of files gives the same graph, also with cycles of imports and of types."""
    check_orders("typescript", MANY)


def test_a_name_that_two_files_hand_each_other_is_nothing() -> None:
    """What is imported from where it is exported to leads nowhere, and does not go round for ever."""
    sources = {
        f"{one}.ts": f"import {{ x }} from './{other}'; export {{ x }}; x();"
        for one, other in ("ab", "ba")
    }
    graph = outline("typescript", sources)
    assert edge_lines(graph, *CALLS) == set()
    assert loose_lines(graph) == {"a.ts calls x 0", "b.ts calls x 0"}


HOSTILE = {
    "broken": b"class { function ( => import from export * as ; x = {a: [1, 2 } `${",
    "objects": b"x = " + b"{a: " * 1500 + b"1" + b"}" * 1500,
    "cycle": b"class A extends B {} class B extends A { f() { this.g(); super.h(); } } const a = b, b = a; a.x(); b();",
    "types": b"type A = B; type B = A; let x: A; x.y(); type C<T> = C<C<T>>; let z: C<A>; z.q();",
    "this": b"export function f() { this.g(); this.x = this.y; }",
    "self": b"export * from './self'; export { x } from './self'; import { x } from './self'; x();",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    ("language", "suffix"), [("javascript", ".js"), ("typescript", ".ts"), ("typescript", ".tsx")]
)
def test_hostile_input_never_raises(name: str, language: str, suffix: str) -> None:
    """Whatever a file holds, it is read and linked."""
    graph = outline(language, {name + suffix: HOSTILE[name]})
    assert f"{name}{suffix}#" in graph.nodes


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "[" * 5000, '{"compilerOptions": 3}', '{"extends": "./tsconfig.json"}']
)
def test_hostile_configuration_never_raises(text: str) -> None:
    """A tsconfig or package file that is not one is as if there were none."""
    graph = outline(
        "typescript", {"a.ts": "import x from 'y';"}, {"tsconfig.json": text, "package.json": text}
    )
    assert edge_lines(graph, "imports") == {"a.ts imports y external"}


def test_errors_are_reported() -> None:
    """Lines that cannot be parsed are named."""
    assert facts_of("javascript", {"a.js": "let a = 1;\nlet = = ;\n"})["a.js"].errors
