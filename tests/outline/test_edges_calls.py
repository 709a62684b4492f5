"""Exact sets of calls for what other tools get wrong, the same eight things in each of the eight languages

| | same name | dropped receiver | chain | star | alias | pointer | overload | module level |
|---|---|---|---|---|---|---|---|---|
| go | x | x | x | x | x | x | - | x |
| python | x | x | x | x | x | - | x | x |
| typescript | x | x | x | x | x | - | x | x |
| javascript | x | x | x | x | x | - | - | x |
| rust | x | x | x | x | x | x | - | x |
| java | x | x | x | x | - | - | x | x |
| c | x | x | x | - | x | x | - | - |
| cpp | x | x | x | x | x | x | x | x |

x: here, beside what tests/outline/test_<language>.py has of it. -: the language has no such thing: aliases in Java, wildcard
imports and calls outside functions in C, pointers to receivers in Python, TypeScript, JavaScript and Java, overloads in Go,
JavaScript, Rust and C.
"""

import pytest

from outline.conftest import edge_lines, lines, loose_lines, outline

# by language and failure: sources by path, and the calls as `caller calls callee rung`; after `loose` those that stay open, with
# how many have the name
CASES = {
    ("go", "same name"): (
        {
            "a.go": """\
package a

type Mailer struct{}

func (m *Mailer) Send() { m.log() }
func (m *Mailer) log()  {}

type Service struct{ mailer *Mailer }

func (s *Service) Send() { s.mailer.Send(); s.log() }
func (s *Service) log()  {}
""",
        },
        """
        a.(*Mailer).Send calls a.(*Mailer).log receiver
        a.(*Service).Send calls a.(*Mailer).Send type
        a.(*Service).Send calls a.(*Service).log receiver
        """,
    ),
    ("python", "same name"): (
        {
            "a.py": """\
class Mailer:
    def send(self):
        self.log()

    def log(self): ...


class Service:
    def __init__(self, mailer: Mailer):
        self.mailer = mailer

    def send(self):
        self.mailer.send()
        self.log()

    def log(self): ...
""",
        },
        """
        a.Mailer.send calls a.Mailer.log receiver
        a.Service.send calls a.Mailer.send type
        a.Service.send calls a.Service.log receiver
        """,
    ),
    ("typescript", "same name"): (
        {
            "a.ts": """\
class Mailer { send() { this.log(); } log() {} }
class Service {
  constructor(private mailer: Mailer) {}
  send() { this.mailer.send(); this.log(); }
  log() {}
}
""",
        },
        """
        a#Mailer.send calls a#Mailer.log receiver
        a#Service.send calls a#Mailer.send type
        a#Service.send calls a#Service.log receiver
        """,
    ),
    ("javascript", "same name"): (
        {
            "a.js": """\
class Mailer { send() { this.log(); } log() {} }
class Service {
  constructor() { this.mailer = new Mailer(); }
  send() { this.mailer.send(); this.log(); }
  log() {}
}
""",
        },
        """
        a#Mailer.send calls a#Mailer.log receiver
        a#Service.constructor calls a#Mailer module
        a#Service.send calls a#Mailer.send type
        a#Service.send calls a#Service.log receiver
        """,
    ),
    ("rust", "same name"): (
        {
            "src/lib.rs": """\
pub struct Mailer;
impl Mailer { pub fn send(&self) { self.log(); } fn log(&self) {} }
pub struct Service { mailer: Mailer }
impl Service {
    pub fn send(&self) { self.mailer.send(); self.log(); }
    fn log(&self) {}
}
""",
        },
        """
        crate::Mailer::send calls crate::Mailer::log receiver
        crate::Service::send calls crate::Mailer::send type
        crate::Service::send calls crate::Service::log receiver
        """,
    ),
    ("java", "same name"): (
        {
            "a/Mailer.java": """\
package a;
class Mailer { void send() { log(); } void log() {} }
""",
            "a/Service.java": """\
package a;
class Service { Mailer mailer; void send() { mailer.send(); log(); } void log() {} }
""",
        },
        """
        a.Mailer.send() calls a.Mailer.log() receiver
        a.Service.send() calls a.Mailer.send() type
        a.Service.send() calls a.Service.log() receiver
        """,
    ),
    ("c", "same name"): (
        {
            "one.c": """\
static void log(void) {}
void one(void) { log(); }
""",
            "two.c": """\
static void log(void) {}
void two(void) { log(); }
""",
        },
        """
        one calls one.c:log local
        two calls two.c:log local
        """,
    ),
    ("cpp", "same name"): (
        {
            "a.cpp": """\
struct Mailer { void send() { log(); } void log() {} };
struct Service { Mailer mailer; void send() { mailer.send(); log(); } void log() {} };
""",
        },
        """
        Mailer::send calls Mailer::log receiver
        Service::send calls Mailer::send type
        Service::send calls Service::log receiver
        """,
    ),
    ("go", "dropped receiver"): (
        {
            "a.go": """\
package a

type T struct{}

func (t T) take() {}
func take() {}

func use(x interface{}, f func() T) {
	x.(unknown).take()
	f().take()
	take()
}
""",
        },
        """
        a.use calls a.T.take type
        a.use calls a.take package
        loose a.use calls f 0
        loose a.use calls x.take 2
        """,
    ),
    ("python", "dropped receiver"): (
        {
            "a.py": """\
def take(): ...


class T:
    def take(self): ...


def use(x):
    x.take()
    take()
""",
        },
        """
        a.use calls a.take module
        loose a.use calls x.take 2
        """,
    ),
    ("typescript", "dropped receiver"): (
        {
            "a.ts": """\
import { pipe } from 'rxjs';
function take() {}
class T { take() {} }
function use(x: any) { x.take(); pipe().take(); take(); }
""",
        },
        """
        a#use calls a#take module
        a#use calls rxjs#pipe external
        loose a#use calls pipe().take 2
        loose a#use calls x.take 2
        """,
    ),
    ("javascript", "dropped receiver"): (
        {
            "a.js": """\
import { pipe } from 'rxjs';
function take() {}
class T { take() {} }
function use(x) { x.take(); pipe().take(); take(); }
""",
        },
        """
        a#use calls a#take module
        a#use calls rxjs#pipe external
        loose a#use calls pipe().take 2
        loose a#use calls x.take 2
        """,
    ),
    ("rust", "dropped receiver"): (
        {
            "src/lib.rs": """\
pub struct T;
impl T { pub fn take(&self) {} }
fn take() {}
fn using(x: other::Thing) { x.take(); take(); }
""",
        },
        """
        crate::using calls crate::take module
        loose crate::using calls x.take 2
        """,
    ),
    ("java", "dropped receiver"): (
        {
            "a/T.java": """\
package a;
import org.other.Thing;
class T { void take() {} void use(Thing x) { x.take(); take(); } }
""",
        },
        """
        a.T.use(Thing) calls a.T.take() receiver
        a.T.use(Thing) calls org.other.Thing.take external
        """,
    ),
    ("c", "dropped receiver"): (
        {
            "a.c": """\
struct ops { int (*take)(void); };
int take(void) { return 1; }
int use(struct ops *o) { return o->take() + take(); }
""",
        },
        """
        use calls take local
        loose use calls o->take 2
        """,
    ),
    ("cpp", "dropped receiver"): (
        {
            "a.cpp": """\
#include <other.hpp>
void take() {}
struct T { void take() {} };
void use(other::Thing &x) { x.take(); take(); }
""",
        },
        """
        use calls take local
        loose use calls x.take 2
        """,
    ),
    ("go", "chain"): (
        {
            "a.go": """\
package a

type B struct{}

func New() *B          { return &B{} }
func (b *B) Add() *B   { return b }
func (b *B) Done() C   { return C{} }

type C struct{}

func (c C) Done() {}

func use() { New().Add().Add().Done().Done() }
""",
        },
        """
        a.use calls a.(*B).Add type
        a.use calls a.(*B).Done type
        a.use calls a.C.Done type
        a.use calls a.New package
        """,
    ),
    ("python", "chain"): (
        {
            "a.py": """\
class C:
    def done(self): ...


class B:
    def add(self):
        return self

    def done(self) -> C:
        return C()


def new():
    return B()


def use():
    new().add().add().done().done()
""",
        },
        """
        a.B.done calls a.C module
        a.new calls a.B module
        a.use calls a.B.add type
        a.use calls a.B.done type
        a.use calls a.C.done type
        a.use calls a.new module
        """,
    ),
    ("typescript", "chain"): (
        {
            "a.ts": """\
class C { done() {} }
class B { add() { return this; } done(): C { return new C(); } }
function make(): B { return new B(); }
function use() { make().add().add().done().done(); }
""",
        },
        """
        a#B.done calls a#C module
        a#make calls a#B module
        a#use calls a#B.add type
        a#use calls a#B.done type
        a#use calls a#C.done type
        a#use calls a#make module
        """,
    ),
    ("javascript", "chain"): (
        {
            "a.js": """\
class C { done() {} }
class B { add() { return this; } done() { return new C(); } }
function make() { return new B(); }
function use() { make().add().add().done().done(); }
""",
        },
        """
        a#B.done calls a#C module
        a#make calls a#B module
        a#use calls a#B.add type
        a#use calls a#B.done type
        a#use calls a#C.done type
        a#use calls a#make module
        """,
    ),
    ("rust", "chain"): (
        {
            "src/lib.rs": """\
pub struct C;
impl C { fn done(&self) {} }
pub struct B;
impl B { fn new() -> Self { B } fn add(self) -> Self { self } fn done(self) -> C { C } }
fn using() { B::new().add().add().done().done(); }
""",
        },
        """
        crate::using calls crate::B::add type
        crate::using calls crate::B::done type
        crate::using calls crate::B::new type
        crate::using calls crate::C::done type
        """,
    ),
    ("java", "chain"): (
        {
            "a/B.java": """\
package a;
class C { void done() {} }
class B { static B make() { return new B(); } B add() { return this; } C done() { return new C(); } void use() { B.make().add().add().done().done(); } }
""",
        },
        """
        a.B.done() calls a.C package
        a.B.make() calls a.B local
        a.B.use() calls a.B.add() type
        a.B.use() calls a.B.done() type
        a.B.use() calls a.B.make() type
        a.B.use() calls a.C.done() type
        """,
    ),
    ("c", "chain"): (
        {
            "a.c": """\
struct ops { struct ops *(*next)(void); };
struct ops *start(void) { return 0; }
void next(void) {}
void use(void) { start()->next()->next(); }
""",
        },
        """
        use calls start local
        loose use calls start()->next 2
        loose use calls start()->next()->next 2
        """,
    ),
    ("cpp", "chain"): (
        {
            "a.cpp": """\
struct C { void done() {} };
struct B { static B &instance() { static B b; return b; } B &add() { return *this; } C done() { return C(); } };
void use() { B::instance().add().add().done().done(); }
""",
        },
        """
        B::done calls C local
        use calls B::add type
        use calls B::done type
        use calls B::instance type
        use calls C::done type
        """,
    ),
    ("go", "star"): (
        {
            "go.mod": """\
module m
""",
            "a/a.go": """\
package a

func Run() {}
""",
            "b/b.go": """\
package b

import . "m/a"

func use() { Run() }
""",
        },
        """
        b.use calls a.Run import
        """,
    ),
    ("python", "star"): (
        {
            "one.py": """\
def run(): ...


def both(): ...
""",
            "two.py": """\
def both(): ...
""",
            "use.py": """\
from one import *
from two import *


def use():
    run()
    both()
""",
        },
        """
        use.use calls one.run import
        loose use.use calls both 2
        """,
    ),
    ("typescript", "star"): (
        {
            "one.ts": """\
export function run() {}
export function both() {}
""",
            "two.ts": """\
export function both() {}
""",
            "all.ts": """\
export * from './one';
export * from './two';
""",
            "use.ts": """\
import { run, both } from './all';
import * as all from './all';
function use() { run(); both(); all.run(); }
""",
        },
        """
        use#use calls one#run import
        loose use#use calls both 2
        """,
    ),
    ("javascript", "star"): (
        {
            "one.js": """\
export function run() {}
export function both() {}
""",
            "two.js": """\
export function both() {}
""",
            "all.js": """\
export * from './one';
export * from './two';
""",
            "use.js": """\
import { run, both } from './all';
import * as all from './all';
function use() { run(); both(); all.run(); }
""",
        },
        """
        use#use calls one#run import
        loose use#use calls both 2
        """,
    ),
    ("rust", "star"): (
        {
            "src/lib.rs": """\
mod one;
mod two;
use one::*;
use two::*;
fn using() { run(); both(); }
""",
            "src/one.rs": """\
pub fn run() {}
pub fn both() {}
""",
            "src/two.rs": """\
pub fn both() {}
""",
        },
        """
        crate::using calls crate::one::run import
        loose crate::using calls both 2
        """,
    ),
    ("java", "star"): (
        {
            "p/One.java": """\
package p;
public class One { public static void run() {} }
""",
            "p/Both.java": """\
package p;
public class Both { public static void go() {} }
""",
            "q/Both.java": """\
package q;
public class Both { public static void go() {} }
""",
            "r/Use.java": """\
package r;
import p.*;
import q.*;
import static p.One.*;
class Use { void use() { One.run(); run(); Both.go(); } }
""",
        },
        """
        r.Use.use() calls p.One.run() import
        loose r.Use.use() calls Both.go 2
        """,
    ),
    ("cpp", "star"): (
        {
            "a.cpp": """\
namespace one { void run() {} void both() {} }
namespace two { void both() {} }
using namespace one;
using namespace two;
void use() { run(); both(); }
""",
        },
        """
        use calls one::run import
        loose use calls both 2
        """,
    ),
    ("go", "alias"): (
        {
            "go.mod": """\
module m
""",
            "deep/v2/real.go": """\
package real

type T struct{}

func (t T) Run() {}

func New() T { return T{} }
""",
            "b/b.go": """\
package b

import other "m/deep/v2"

type Alias = other.T

func use(a Alias) { other.New().Run(); a.Run() }
""",
        },
        """
        b.use calls real.New import
        b.use calls real.T.Run type
        """,
    ),
    ("python", "alias"): (
        {
            "pkg/__init__.py": """\
from .core import run as start
from . import core as inner
""",
            "pkg/core.py": """\
def run(): ...


def stop(): ...
""",
            "use.py": """\
import pkg as p
from pkg import start as go, inner


def use():
    p.start()
    go()
    inner.stop()
    p.inner.run()
""",
        },
        """
        use.use calls pkg.core.run import
        use.use calls pkg.core.stop import
        """,
    ),
    ("typescript", "alias"): (
        {
            "core.ts": """\
export function run() {}
export default class Core { stop() {} }
""",
            "index.ts": """\
export { run as start, default as Inner } from './core';
""",
            "use.ts": """\
import { start as go, Inner } from '.';
import * as all from './index';
function use() { go(); new Inner().stop(); all.start(); }
""",
        },
        """
        use#use calls core#Core import
        use#use calls core#Core.stop type
        use#use calls core#run import
        """,
    ),
    ("javascript", "alias"): (
        {
            "core.js": """\
function run() {}
module.exports = { start: run };
""",
            "index.js": """\
module.exports = require('./core');
""",
            "use.js": """\
const { start: go } = require('./index');
const all = require('./index');
function use() { go(); all.start(); }
""",
        },
        """
        use#use calls core#run import
        """,
    ),
    ("rust", "alias"): (
        {
            "src/lib.rs": """\
mod core;
mod api { pub use crate::core::run as start; pub use crate::core as inner; }
use api::start as go;
fn using() { go(); api::start(); api::inner::stop(); }
""",
            "src/core.rs": """\
pub fn run() {}
pub fn stop() {}
""",
        },
        """
        crate::using calls crate::core::run import
        crate::using calls crate::core::stop module
        """,
    ),
    ("c", "alias"): (
        {
            "a.h": """\
int run(void);
#define start run
""",
            "a.c": """\
#include "a.h"
int run(void) { return 1; }
""",
            "use.c": """\
#include "a.h"
typedef int (*fn)(void);
int use(void) { fn go = run; return start() + go(); }
""",
        },
        """
        loose use calls go 0
        loose use calls start 0
        """,
    ),
    ("cpp", "alias"): (
        {
            "a.cpp": """\
namespace deep { namespace v2 { struct T { void run() {} }; void start() {} } }
namespace d = deep::v2;
using Alias = deep::v2::T;
using deep::v2::start;
void use(Alias a) { a.run(); d::start(); start(); }
""",
        },
        """
        use calls deep::v2::T::run type
        use calls deep::v2::start import
        """,
    ),
    ("go", "pointer"): (
        {
            "a.go": """\
package a

type Host struct{}

func (h *Host) Ping() {}
func (h Host) Name() {}

type Box struct{ *Host }

func use(h Host, p *Host, pp **Host, all []*Host, by map[string]*Host, b Box) {
	h.Ping()
	p.Name()
	(*pp).Ping()
	for _, one := range all {
		one.Ping()
	}
	by["x"].Name()
	b.Ping()
	(*Host).Ping(p)
}
""",
        },
        """
        a.use calls a.(*Host).Ping type
        a.use calls a.Host.Name type
        """,
    ),
    ("rust", "pointer"): (
        {
            "src/lib.rs": """\
use std::rc::Rc;
pub struct Host;
impl Host { fn ping(&mut self) {} fn name(&self) {} fn eat(self: Box<Self>) {} }
fn using(a: &Host, b: &mut Host, c: Box<Host>, d: Rc<Host>, e: &[Host], f: Option<Host>) {
    a.name(); b.ping(); d.name(); e[0].name(); f.unwrap().name(); Host::name(a); c.eat();
}
""",
        },
        """
        crate::using calls crate::Host::eat type
        crate::using calls crate::Host::name type
        crate::using calls crate::Host::ping type
        crate::using calls std::option::Option::unwrap native
        """,
    ),
    ("c", "pointer"): (
        {
            "a.c": """\
int ping(int x) { return x; }
int (*hook)(int) = ping;
int use(void) { int (*p)(int) = &ping; return (*p)(1) + hook(2) + (ping)(3); }
""",
        },
        """
        use calls ping local
        loose use calls p 0
        loose use calls hook 1
        """,
    ),
    ("cpp", "pointer"): (
        {
            "a.cpp": """\
#include <memory>
#include <vector>
struct Host { void ping() {} void name() const {} };
void use(Host h, Host *p, Host &r, const Host *c, std::shared_ptr<Host> s, std::vector<Host*> all) {
  h.ping(); p->ping(); r.ping(); c->name(); s->ping(); (*p).name();
  for (auto *one : all) one->ping();
}
""",
        },
        """
        use calls Host::name type
        use calls Host::ping type
        """,
    ),
    ("python", "overload"): (
        {
            "a.py": """\
from typing import overload


@overload
def get(x: int) -> int: ...
@overload
def get(x: str) -> str: ...
def get(x):
    return inner(x)


def inner(x):
    return x


def use():
    get(1)
    get('a')
""",
        },
        """
        a calls typing.overload native
        a.get calls a.inner module
        a.use calls a.get module
        """,
    ),
    ("typescript", "overload"): (
        {
            "a.ts": """\
function get(x: number): number;
function get(x: string): string;
function get(x: any) { return inner(x); }
function inner(x: any) { return x; }
class A { go(x: number): void; go(x: string): void; go(x: any) { get(x); } }
function use() { get(1); new A().go('x'); }
""",
        },
        """
        a#A.go calls a#get module
        a#get calls a#inner module
        a#use calls a#A module
        a#use calls a#A.go type
        a#use calls a#get module
        """,
    ),
    ("java", "overload"): (
        {
            "a/A.java": """\
package a;
class A { void get() { get(1); } void get(int x) { get(x, x); } void get(int x, int y) { } void use(A a) { a.get(); a.get(1); a.get(1, 2); a.get(1, 2, 3); } }
""",
        },
        """
        a.A.get() calls a.A.get(int) receiver
        a.A.get(int) calls a.A.get(int, int) receiver
        a.A.use(A) calls a.A.get() type
        a.A.use(A) calls a.A.get(int) type
        a.A.use(A) calls a.A.get(int, int) type
        loose a.A.use(A) calls a.get 3
        """,
    ),
    ("cpp", "overload"): (
        {
            "a.cpp": """\
void get() {}
void get(int x) { get(); }
void get(int x, int y) { get(x); }
void use() { get(1, 2); get(1, 2, 3); }
""",
        },
        """
        get calls get local
        use calls get local
        loose use calls get 3
        """,
    ),
    ("go", "module level"): (
        {
            "a.go": """\
package a

func first() int { return 1 }

var value = make2()

func make2() int { return first() }

func init() { first() }
""",
        },
        """
        a.go calls a.make2 package
        a.init calls a.first package
        a.make2 calls a.first package
        """,
    ),
    ("python", "module level"): (
        {
            "a.py": """\
def first(): ...


def before():
    return 1


first()


class A:
    x = first()


if __name__ == '__main__':
    before()
""",
        },
        """
        a calls a.before module
        a calls a.first module
        a.A calls a.first module
        """,
    ),
    ("typescript", "module level"): (
        {
            "a.ts": """\
function first() {}
function before() { return 1; }
first();
const x = first();
class A { static y = first(); static { before(); } }
""",
        },
        """
        a#A calls a#before module
        a#A calls a#first module
        a.ts calls a#first module
        """,
    ),
    ("javascript", "module level"): (
        {
            "a.js": """\
function first() {}
function before() { return 1; }
first();
const x = first();
class A { static y = first(); static { before(); } }
""",
        },
        """
        a#A calls a#before module
        a#A calls a#first module
        a.js calls a#first module
        """,
    ),
    ("rust", "module level"): (
        {
            "src/lib.rs": """\
const fn first() -> i32 { 1 }
fn before() {}
static X: i32 = first();
""",
        },
        """
        src/lib.rs calls crate::first module
        """,
    ),
    ("java", "module level"): (
        {
            "a/A.java": """\
package a;
class A { static int first() { return 1; } void before() {} static int x = first(); int y = first(); static { first(); } { before(); } }
""",
        },
        """
        a.A calls a.A.before() receiver
        a.A calls a.A.first() receiver
        """,
    ),
    ("cpp", "module level"): (
        {
            "a.cpp": """\
int first() { return 1; }
int before() { return 2; }
int x = first();
struct A { int y = first(); };
""",
        },
        """
        A calls first local
        a.cpp calls first local
        """,
    ),
}


@pytest.mark.parametrize(("language", "failure"), CASES)
def test_calls_are_exactly_these(language: str, failure: str) -> None:
    """Nothing is missing, nothing is invented, and what cannot be known is counted."""
    files, expected = CASES[language, failure]
    others = {path: text for path, text in files.items() if path.endswith(".mod")}
    graph = outline(
        language, {path: text for path, text in files.items() if path not in others}, others
    )
    open_calls = {f"loose {line}" for line in loose_lines(graph) if " calls " in line}
    assert edge_lines(graph, "calls") | open_calls == lines(expected)
