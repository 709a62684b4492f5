"""The Python outline: exact edges for each way in which tools of its kind go wrong, and inputs that must not break it."""

import random
from textwrap import dedent

import pytest
from tree_sitter import Language, Parser

from ghostmem.outline.facts import Facts
from ghostmem.outline.graph import FORWARD, PROJECT, Linked
from ghostmem.outline.languages.python import LANGUAGE

PARSER = Parser(Language(LANGUAGE.grammar("")))


def extracted(source: bytes, path: str = "m.py") -> Facts:
    """Return the facts of a source."""
    return LANGUAGE.extract(PARSER.parse(source).root_node, source, path)


def linked(files: dict[str, str]) -> Linked:
    """Return the graph of files given by path."""
    facts = {path: extracted(dedent(text).encode(), path) for path, text in files.items()}
    return LANGUAGE.link(facts, lambda _path: None)


def edges(
    files: dict[str, str] | str, *kinds: str, outside: bool = False
) -> set[tuple[str, str, str]]:
    """Return edges of some kinds by name: of the project only, unless the outside is asked for; one kind goes without saying."""
    graph = linked({"m.py": files} if isinstance(files, str) else files)
    found = set()
    for one in graph.links:
        end = graph.nodes[one.end]
        if one.kind in kinds and (outside or end.origin == PROJECT):
            found.add(
                (graph.nodes[one.start].name, one.via if len(kinds) == 1 else one.kind, end.name)
            )
    return found


def loose(files: dict[str, str] | str, kind: str = "calls") -> set[tuple[str, str, int]]:
    """Return what stayed loose: by whom, as written, and how many namesakes there are."""
    graph = linked({"m.py": files} if isinstance(files, str) else files)
    return {
        (graph.nodes[one.owner].name, one.text, one.candidates)
        for one in graph.loose
        if one.kind == kind
    }


def test_methods_of_one_name_are_told_apart_by_their_receiver() -> None:
    """A call through an attribute goes to the attribute's class, never to the caller's own method of that name."""
    source = """
        class Mailer:
            def send(self): ...
        class Service:
            def __init__(self):
                self.mailer = Mailer()
            def send(self):
                self.mailer.send()
        class Other:
            def send(self, unknown):
                unknown.send()
    """
    assert edges(source, "calls") == {
        ("m.Service.__init__", "module", "m.Mailer"),
        ("m.Service.send", "type", "m.Mailer.send"),
    }
    assert loose(source) == {("m.Other.send", "unknown.send", 3)}


def test_chained_calls_follow_what_each_returns() -> None:
    """A chain is resolved by annotations, by return statements, and by returning self."""
    source = """
        class Query:
            def where(self): return self
            def first(self) -> "Row": ...
        class Row:
            def save(self): ...
        def query():
            return Query()
        def main():
            query().where().where().first().save()
    """
    assert edges(source, "calls") == {
        ("m.query", "module", "m.Query"),
        ("m.main", "module", "m.query"),
        ("m.main", "type", "m.Query.where"),
        ("m.main", "type", "m.Query.first"),
        ("m.main", "type", "m.Row.save"),
    }


def test_returning_self_keeps_the_subclass() -> None:
    """What an inherited method returns as self or cls() is of the receiver's class."""
    source = """
        class Base:
            def chain(self): return self
            @classmethod
            def make(cls): return cls()
        class Sub(Base):
            def own(self): ...
        def main():
            Sub().chain().own()
            Sub.make().own()
    """
    assert edges(source, "calls") >= {
        ("m.main", "type", "m.Base.chain"),
        ("m.main", "type", "m.Base.make"),
        ("m.main", "type", "m.Sub.own"),
    }
    assert loose(source) == set()


def test_star_imports_bind_only_what_one_source_defines() -> None:
    """Two sources of a name leave it loose; __all__ and underscores are respected."""
    files = {
        "p/__init__.py": "",
        "p/a.py": "__all__ = ['one', 'both']\ndef one(): ...\ndef both(): ...\ndef hidden(): ...\n",
        "p/b.py": "def two(): ...\ndef both(): ...\ndef _private(): ...\n",
        "p/c.py": "from .a import *\nfrom .b import *\ndef f():\n    one(); two(); both(); hidden(); _private()\n",
    }
    assert edges(files, "calls") == {("p.c.f", "import", "p.a.one"), ("p.c.f", "import", "p.b.two")}
    assert loose(files) == {("p.c.f", "both", 2), ("p.c.f", "hidden", 1), ("p.c.f", "_private", 1)}


def test_aliases_and_reexports_lead_to_the_definition() -> None:
    """Import aliases, relative imports, re-exports through __init__ and modules as values are followed."""
    files = {
        "src/pkg/__init__.py": "from .core import Thing as Widget, helper\nfrom . import core\n",
        "src/pkg/core.py": "class Thing:\n    def go(self): ...\ndef helper(): ...\n",
        "src/pkg/sub/__init__.py": "",
        "src/pkg/sub/use.py": """
            import pkg
            import pkg.core as c
            from pkg import Widget as W
            from ..core import helper as h
            from ... import nothing
            def f():
                W().go(); h(); c.helper(); pkg.core.helper(); pkg.helper()
        """,
    }
    assert edges(files, "calls") == {
        ("pkg.sub.use.f", "import", "pkg.core.Thing"),
        ("pkg.sub.use.f", "type", "pkg.core.Thing.go"),
        ("pkg.sub.use.f", "import", "pkg.core.helper"),
    }
    assert edges(files, "imports") == {
        ("pkg", "import", "pkg.core"),
        ("pkg.sub.use", "import", "pkg"),
        ("pkg.sub.use", "import", "pkg.core"),
    }


def test_names_of_modules_follow_packages_sources_and_namespaces() -> None:
    """A package below src, one in a namespace, a script: each has the dotted name that it is imported by."""
    files = {
        "src/pkg/__init__.py": "",
        "src/pkg/mod.py": "from space.inner.deep import f\nf()\n",
        "space/inner/__init__.py": "",
        "space/inner/deep.py": "def f(): ...\n",
        "scripts/run.py": "import helper\nhelper.go()\n",
        "scripts/helper.py": "def go(): ...\n",
    }
    graph = linked(files)
    names = {node.file: node.name for node in graph.nodes.values() if node.kind == "file"}
    assert names == {
        "src/pkg/__init__.py": "pkg",
        "src/pkg/mod.py": "pkg.mod",
        "space/inner/__init__.py": "space.inner",
        "space/inner/deep.py": "space.inner.deep",
        "scripts/run.py": "scripts.run",
        "scripts/helper.py": "scripts.helper",
    }
    assert edges(files, "calls") == {
        ("pkg.mod", "import", "space.inner.deep.f"),
        ("scripts.run", "import", "scripts.helper.go"),
    }


def test_calls_outside_functions_belong_to_the_file_or_class() -> None:
    """A call at the top is the file's, not of the function before it; defaults and decorators run outside of theirs."""
    source = """
        def before(): ...
        def setup(): ...
        def mark(f): return f
        setup()
        class C:
            x = setup()
        @mark
        def late(y=setup()): ...
    """
    assert edges(source, "calls") == {
        ("m", "module", "m.setup"),
        ("m.C", "module", "m.setup"),
        ("m", "module", "m.mark"),
    }


def test_shadowing_hides_outer_names() -> None:
    """Parameters, locals, loop, with, except, walrus, comprehension variables and del all hide a function of the module."""
    source = """
        def f(): ...
        def parameter(f): f()
        def local(x):
            f = x
            f()
        def later(x):
            f()
            f = x
        def loop(xs):
            for f in xs: f()
        def managed(x):
            with x as f: f()
        def walrus(x):
            if (f := x): f()
        def comprehended(xs): return [f() for f in xs]
        def folded(): return (lambda f: f())
        def not_hidden(xs): return [f() for g in xs], (lambda g: f())
        class C:
            def f(self): ...
            def g(self): f()
        def deep():
            def f(): ...
            f()
        def outer():
            def inner():
                nonlocal h
                h = 1
            h = 2
    """
    assert edges(source, "calls") == {
        ("m.not_hidden", "module", "m.f"),
        ("m.C.g", "module", "m.f"),
        ("m.deep", "local", "m.deep.f"),
    }


def test_later_values_replace_earlier_ones() -> None:
    """The type of a variable is that of the values that reach a place: straight, in branches, in loops."""
    source = """
        class A:
            def a(self): ...
            def go(self): ...
        class B:
            def b(self): ...
            def go(self): ...
        def straight():
            x = A()
            x.go()
            x = B()
            x.b()
        def branches(c):
            if c:
                x = A()
            else:
                x = B()
            x.go()
        def left(c):
            x = A()
            if c:
                x = B()
                return x.b()
            x.go()
    """
    calls = {one for one in edges(source, "calls") if one[2].count(".") == 2}
    assert calls == {
        ("m.straight", "type", "m.A.go"),
        ("m.straight", "type", "m.B.b"),
        ("m.branches", "conditional", "m.A.go"),
        ("m.branches", "conditional", "m.B.go"),
        ("m.left", "type", "m.B.b"),
        ("m.left", "type", "m.A.go"),
    }


def test_inheritance_follows_the_order_of_lookup() -> None:
    """self, cls and super() look in the order that Python does, also in a diamond."""
    source = """
        class Base:
            def hook(self): ...
            def __init__(self): ...
        class Left(Base):
            def hook(self): super().hook()
        class Right(Base):
            def hook(self): super(Right, self).hook()
            def only(self): ...
        class Both(Left, Right):
            def __init__(self):
                super().__init__()
                self.hook()
                self.only()
        Both().only()
        Left()
    """
    assert edges(source, "calls") == {
        ("m.Left.hook", "receiver", "m.Base.hook"),
        ("m.Right.hook", "receiver", "m.Base.hook"),
        ("m.Both.__init__", "receiver", "m.Base.__init__"),
        ("m.Both.__init__", "receiver", "m.Left.hook"),
        ("m.Both.__init__", "receiver", "m.Right.only"),
        ("m", "module", "m.Both.__init__"),
        ("m", "type", "m.Right.only"),
        ("m", "module", "m.Left"),
    }
    assert edges(source, "extends") == {
        ("m.Left", "module", "m.Base"),
        ("m.Right", "module", "m.Base"),
        ("m.Both", "module", "m.Left"),
        ("m.Both", "module", "m.Right"),
    }


def test_conditional_definitions_are_all_kept() -> None:
    """try/except ImportError and if/else give candidates; TYPE_CHECKING imports count as imports."""
    files = {
        "a.py": "def f(): ...\nclass T:\n    def m(self): ...\n",
        "b.py": """
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                from a import T
            try:
                from a import f
            except ImportError:
                def f(): ...
            def run(t: "T | None"):
                f()
                t.m()
        """,
    }
    assert edges(files, "calls") == {
        ("b.run", "conditional", "a.f"),
        ("b.run", "conditional", "b.f"),
        ("b.run", "type", "a.T.m"),
    }
    assert edges(files, "uses") == {("b.run", "import", "a.T")}


def test_decorators_keep_what_they_decorate() -> None:
    """A decorated function is still the callee; wraps, static and class methods and context managers are known."""
    source = """
        import functools
        from contextlib import contextmanager
        class A:
            @staticmethod
            def s(): ...
            @classmethod
            def c(cls): cls.s()
            def m(self): ...
        def deco(f):
            @functools.wraps(f)
            def wrapper(*a): return f(*a)
            return wrapper
        @deco
        def work(): return A()
        @contextmanager
        def managed():
            yield A()
        def run():
            work().m()
            A.s(); A.c()
            with managed() as a:
                a.m()
    """
    assert edges(source, "calls") == {
        ("m.A.c", "receiver", "m.A.s"),
        ("m", "module", "m.deco"),
        ("m.work", "module", "m.A"),
        ("m.managed", "module", "m.A"),
        ("m.run", "module", "m.work"),
        ("m.run", "type", "m.A.m"),
        ("m.run", "type", "m.A.s"),
        ("m.run", "type", "m.A.c"),
        ("m.run", "module", "m.managed"),
    }


def test_properties_are_read_and_give_their_type() -> None:
    """A property is accessed, not called, and a setter does not hide its getter."""
    source = """
        class Engine:
            def start(self): ...
        class Car:
            @property
            def engine(self) -> Engine: ...
            @engine.setter
            def engine(self, value): ...
            def go(self):
                self.engine.start()
    """
    assert ("m.Car.go", "type", "m.Engine.start") in edges(source, "calls")
    assert edges(source, "accesses") == {("m.Car.go", "receiver", "m.Car.engine")}


def test_fields_of_dataclasses_and_enums_have_types() -> None:
    """Annotated class attributes, factories and members of enumerations are receivers."""
    source = """
        from dataclasses import dataclass, field
        from enum import Enum
        class Part:
            def fit(self): ...
        class Color(Enum):
            RED = 1
            def paint(self): ...
        @dataclass
        class Whole:
            parts: list[Part]
            spare: Part | None = None
            extra = field(default_factory=Part)
            def all(self):
                for part in self.parts:
                    part.fit()
                self.spare.fit()
                Color.RED.paint()
        def build(w: "Whole"):
            w.extra.fit()
            w.parts[0].fit()
    """
    assert edges(source, "calls") == {
        ("m.Whole.all", "type", "m.Part.fit"),
        ("m.Whole.all", "type", "m.Color.paint"),
        ("m.build", "type", "m.Part.fit"),
    }
    assert edges(source, "uses") == {
        ("m.Whole", "module", "m.Part"),
        ("m.build", "module", "m.Whole"),
        ("m.Whole.all", "module", "m.Color"),
    }
    assert edges(source, "accesses") == {
        ("m.Whole.all", "receiver", "m.Whole.parts"),
        ("m.Whole.all", "receiver", "m.Whole.spare"),
        ("m.Whole.all", "type", "m.Color.RED"),
        ("m.build", "type", "m.Whole.extra"),
        ("m.build", "type", "m.Whole.parts"),
    }


def test_nested_functions_are_symbols_and_lambdas_are_folded() -> None:
    """A nested function owns its calls; a lambda's and a comprehension's are those of the function around it."""
    source = """
        def f(): ...
        def outer(xs):
            def inner():
                f()
            inner()
            return map(lambda x: f(), [f() for x in xs])
    """
    assert edges(source, "calls", "declares") == {
        ("m", "declares", "m.f"),
        ("m", "declares", "m.outer"),
        ("m.outer", "declares", "m.outer.inner"),
        ("m.outer.inner", "calls", "m.f"),
        ("m.outer", "calls", "m.outer.inner"),
        ("m.outer", "calls", "m.f"),
    }


def test_attributes_of_self_are_known_from_any_method() -> None:
    """An attribute set in one method is a receiver in another, also in a subclass, through containers and unions."""
    source = """
        class Log:
            def write(self): ...
        class Base:
            def open(self, log: Log):
                self.log = log
                self.logs = {"a": Log()}
        class Sub(Base):
            def go(self):
                self.log.write()
            def each(self):
                for name, log in self.logs.items():
                    log.write()
    """
    assert edges(source, "calls") == {
        ("m.Base.open", "module", "m.Log"),
        ("m.Sub.go", "type", "m.Log.write"),
        ("m.Sub.each", "type", "m.Log.write"),
    }


def test_cyclic_imports_and_recursion_end() -> None:
    """Modules that import each other, functions that return each other's results, a class that is its own base."""
    files = {
        "p/__init__.py": "from .a import *\nfrom .b import *\n",
        "p/a.py": "from .b import g\nfrom . import h\ndef f(): return g()\n",
        "p/b.py": "from .a import f\nfrom p import *\ndef g(): return f()\ndef h(): return h().x()\nclass C(C): ...\nx = x\n",
    }
    assert edges(files, "calls") == {
        ("p.a.f", "import", "p.b.g"),
        ("p.b.g", "import", "p.a.f"),
        ("p.b.h", "module", "p.b.h"),
    }


def test_isinstance_narrows() -> None:
    """Where a test holds the name is of that class, also after a denial that leaves."""
    source = """
        class A:
            def go(self): ...
        class B:
            def go(self): ...
        def f(x: A | B):
            if isinstance(x, A):
                x.go()
            else:
                x.go()
        def g(x):
            if not isinstance(x, B):
                return
            x.go()
    """
    graph = linked({"m.py": source})
    calls = sorted(
        (graph.nodes[one.start].name, graph.nodes[one.end].name, one.line)
        for one in graph.links
        if one.kind == "calls"
    )
    assert [one for one in calls if one[1].startswith("m.")] == [
        ("m.f", "m.A.go", 8),
        ("m.f", "m.B.go", 10),
        ("m.g", "m.B.go", 14),
    ]


def test_variables_of_modules_and_classes_are_read_and_written() -> None:
    """An augmented assignment is both; the declaration is neither; locals and instances' own fields are none."""
    files = {
        "conf.py": "LIMIT = 1\ncount = 0\nclass K:\n    shared = 1\n",
        "use.py": """
            import conf
            from conf import LIMIT, K
            total = 0
            def f():
                global total
                total += LIMIT
                conf.count = 3
                K.shared += 1
                mine = LIMIT
                return mine
            class O:
                def __init__(self): self.own = 1
                def g(self): return self.own
        """,
    }
    assert edges(files, "accesses", "assigns") == {
        ("use.f", "accesses", "use.total"),
        ("use.f", "assigns", "use.total"),
        ("use.f", "accesses", "conf.LIMIT"),
        ("use.f", "assigns", "conf.count"),
        ("use.f", "accesses", "conf.K.shared"),
        ("use.f", "assigns", "conf.K.shared"),
    }
    graph = linked(files)
    kinds = {node.name: node.kind for node in graph.nodes.values() if node.file == "conf.py"}
    assert kinds == {
        "conf": "file",
        "conf.LIMIT": "constant",
        "conf.count": "variable",
        "conf.K": "type",
        "conf.K.shared": "field",
    }


def test_interfaces_are_extended_and_implemented() -> None:
    """A Protocol or abstract base is both; a call through it binds to its method, via interface."""
    source = """
        from abc import ABC, abstractmethod
        from typing import Protocol
        class Reader(Protocol):
            def read(self) -> bytes: ...
        class Base(ABC):
            @abstractmethod
            def go(self): ...
        class File(Reader, Base):
            def read(self) -> bytes: ...
            def go(self): ...
        def use(r: Reader, f: File):
            r.read()
            f.read()
    """
    assert edges(source, "extends", "implements") == {
        ("m.File", "extends", "m.Reader"),
        ("m.File", "extends", "m.Base"),
        ("m.File", "implements", "m.Reader"),
        ("m.File", "implements", "m.Base"),
    }
    assert edges(source, "calls") == {
        ("m.use", "interface", "m.Reader.read"),
        ("m.use", "type", "m.File.read"),
    }


def test_uses_are_types_in_signatures_and_bodies() -> None:
    """Annotations also in strings, aliases, generic arguments, isinstance, except, casts and constructors."""
    source = """
        from typing import Generic, TypeVar, cast
        class A(Exception): ...
        class B: ...
        class C(list["B"]): ...
        T = TypeVar("T", bound=B)
        def f(a: "dict[str, A]") -> list[B]:
            try:
                x: B
            except A:
                isinstance(a, (B, A))
            return cast("C", a)
    """
    assert edges(source, "uses") == {
        ("m.C", "module", "m.B"),
        ("m", "module", "m.B"),
        ("m.f", "module", "m.A"),
        ("m.f", "module", "m.B"),
        ("m.f", "module", "m.C"),
    }


def test_generics_carry_their_arguments() -> None:
    """Type variables are solved from arguments, receivers and bounds."""
    source = """
        from typing import Generic, TypeVar
        T = TypeVar("T")
        class A:
            def go(self): ...
        class Box(Generic[T]):
            def get(self) -> T: ...
        def same(x: T) -> T: ...
        def make(kind: type[T]) -> T: ...
        def f(b: Box[A]):
            b.get().go()
        def g():
            same(A()).go()
        def h():
            make(A).go()
    """
    found = {one for one in edges(source, "calls") if one[2] == "m.A.go"}
    assert found == {
        ("m.f", "type", "m.A.go"),
        ("m.g", "type", "m.A.go"),
        ("m.h", "type", "m.A.go"),
    }


def test_the_type_of_an_empty_tuple_is_a_tuple() -> None:
    """`tuple[()]` has no type arguments."""
    source = """
        from collections.abc import Awaitable
        def f(empty: tuple[()], broken: Awaitable[()]):
            empty.index(1)
            broken.send(2)
    """
    assert edges(source, "calls", outside=True) == {
        ("m.f", "native", "tuple.index"),
        ("m.f", "native", "collections.abc.Awaitable.send"),
    }


def test_docstrings_tell_types() -> None:
    """A :rtype: is believed, also by a dotted name from the top of the project."""
    files = {
        "p/__init__.py": "from .a import Base\n",
        "p/a.py": "class Base:\n    def send(self): ...\n",
        "p/b.py": '''
            def get(url):
                """Find.

                :rtype: p.a.Base
                """
            def find():
                get(1).send()
        ''',
    }
    assert edges(files, "calls") == {
        ("p.b.find", "module", "p.b.get"),
        ("p.b.find", "type", "p.a.Base.send"),
    }


def test_natives_and_externals_are_nodes_of_their_own() -> None:
    """The standard library and builtins are native, other packages external; a method of a literal is known."""
    source = """
        import os.path
        import numpy as np
        from collections import OrderedDict
        def f():
            np.array([1]); os.path.join("a", "b"); print(OrderedDict()); "".join([]).upper()
    """
    graph = linked({"m.py": source})
    ends = {(one.end, one.via) for one in graph.links if one.kind == "calls"}
    assert ends == {
        ("external:numpy.array", "external"),
        ("native:os.path.join", "native"),
        ("native:print", "native"),
        ("native:collections.OrderedDict", "native"),
        ("native:str.join", "native"),
        ("native:str.upper", "native"),
    }
    assert edges(source, "imports", outside=True) == {
        ("m", "native", "os.path"),
        ("m", "external", "numpy"),
        ("m", "native", "collections"),
    }


def test_symbols_of_one_name_never_merge() -> None:
    """Two definitions of one name are two nodes, with bodies that include their decorators."""
    graph = linked({"m.py": "def f(): ...\n@f\ndef f(): ...\n"})
    nodes = [node for node in graph.nodes.values() if node.name == "m.f"]
    assert len({node.id for node in nodes}) == 2
    assert len({node.body for node in nodes}) == 2
    assert [node.line for node in sorted(nodes, key=lambda one: one.line)] == [1, 2]


def test_order_of_files_does_not_matter_and_facts_survive_json() -> None:
    """Links, nodes and loose references are the same for any order of files, and after a trip through JSON."""
    files = {
        f"p/{name}.py": f"from .{other} import *\nfrom . import {other}\nclass {name.upper()}({other}.{other.upper()}):\n    x = 1\n"
        f"    def m(self, q=lambda z: z):\n        return self.m().{other}() + unknown.x\n"
        for name, other in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a"))
    }
    facts = {path: extracted(text.encode(), path) for path, text in files.items()}
    first = LANGUAGE.link(facts, lambda _path: None)
    for seed in range(5):
        paths = list(facts)
        random.Random(seed).shuffle(paths)
        again = {path: Facts.unpacked(facts[path].packed()) or Facts() for path in paths}
        assert LANGUAGE.link(again, lambda _path: None) == first


def test_every_link_ends_at_nodes_and_has_a_known_kind_and_rung() -> None:
    """No link points nowhere."""
    graph = linked(
        {"m.py": "import x\nclass A(x.B):\n    y = x.z\n    def f(self): self.g(); A.y = 1\n"}
    )
    rungs = {
        "local",
        "receiver",
        "type",
        "import",
        "module",
        "native",
        "external",
        "conditional",
        "interface",
    }
    assert all(
        one.start in graph.nodes
        and one.end in graph.nodes
        and one.kind in FORWARD
        and one.via in rungs
        for one in graph.links
    )
    assert all(one.owner in graph.nodes for one in graph.loose)


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\x00\x01\xff\xfe" * 100,
        b"\xef\xbb\xbfdef f(): f()\n",
        b"def f(:\n  class\n)\n@\nx = = 3\nimport\nfrom . import\n",
        b"x = '" + b"a" * 1_000_000 + b"'\n",
        b"x = " + b"(" * 3000 + b"1" + b")" * 3000,
        b"x = " + b"[" * 3000,
        b"x = " + b"1 + " * 20_000 + b"1\n",
        b"x = a" + b".b(c)" * 3000 + b"\n",
        b"".join(b" " * level + b"if x:\n" for level in range(300)) + b" " * 300 + b"f()\n",
        b"".join(b" " * level + b"def f():\n" for level in range(300)) + b" " * 300 + b"f()\n",
        b"def f():\n\tif x:\n\t\tf()\n        g()\n",
        b"def f(*, a, **k): ...\nlambda: (yield)\nprint(*a, **b)\nx: int\ndel x, y[0]\nglobal q\nnonlocal r\n",
        b"match x:\n    case [A(b=c), *d] | {'k': e, **f} if g: pass\n    case 1 | None | a.b as z: pass\n    case _: pass\n",
        b"type X[T: int] = list[T]\ndef f[T, *Ts, **P](x: T) -> X[T]: ...\nclass C[T](B[T], metaclass=M): ...\n",
        b"class A(A.B, *bases, **kw): ...\nclass B(A): pass\nclass A(B): pass\nA().x.y.z()\n",
        b"try:\n    pass\nexcept* (A, B) as e:\n    e.x()\nelse:\n    pass\nfinally:\n    pass\n",
        b"from __future__ import annotations\nfrom m import *\nfrom .m import m\nimport m.m.m as m\n",
        b'def f(a: "not a type(", b: "", c: "x" "y") -> "[": f("{")\nf"{f"{f()!r:>{w}}"}"\n',
        b"x = y = z = x\n(a, (b, *c)), d[0], e.f = x\nfor a.b in c: pass\nwith a as b.c, d as (e, f): pass\n",
    ],
)
def test_hostile_sources_never_raise(source: bytes) -> None:
    """Whatever a file holds, extracting and linking come to an end, and the facts are JSON."""
    facts = extracted(source)
    assert Facts.unpacked(facts.packed()) is not None
    LANGUAGE.link({"m.py": facts}, lambda _path: None)


def test_lines_with_syntax_errors_are_told() -> None:
    """A file with an error still says what it can."""
    source = "def good(): ...\ndef bad(:\n    pass\ndef also(): good()\n"
    assert extracted(source.encode()).errors
    assert "m.good" in [node.name for node in linked({"m.py": source}).nodes.values()]


@pytest.mark.parametrize(
    "test", ["if not isinstance(x, Base): raise TypeError", "assert isinstance(x, Base)"]
)
def test_a_test_for_a_wider_class_widens_nothing(test: str) -> None:
    """What is known to be a subclass stays one; what is not, becomes the class that is tested for."""
    source = f"""
        class Base:
            def go(self): pass
        class Sub(Base):
            def go(self): pass
        def known(x: Sub):
            {test}
            x.go()
        def unknown(x):
            {test}
            x.go()
        def other(x: int):
            {test}
            x.go()
        def short(x: Sub):
            return x.go() if isinstance(x, Base) else None
    """
    found = {(start, end) for start, _, end in edges(source, "calls")}
    assert found == {
        ("m.known", "m.Sub.go"),
        ("m.unknown", "m.Base.go"),
        ("m.other", "m.Base.go"),
        ("m.short", "m.Sub.go"),
    }


@pytest.mark.wide
@pytest.mark.parametrize("forward", [True, False])
def test_a_thousand_classes_in_a_chain(forward: bool) -> None:
    """The order of lookup of each is worked out once, in whichever order they stand."""
    made = [f"class C{at}(C{at + 1}):\n    def m(self): self.q()\n" for at in range(900)]
    made.append("class C900:\n    def q(self): pass\n")
    graph = linked({"m.py": "".join(made if forward else reversed(made))})
    assert (
        sum(one.kind == "calls" and graph.nodes[one.end].name == "m.C900.q" for one in graph.links)
        == 900
    )


def test_bases_without_an_order_have_one_all_the_same() -> None:
    """A diamond goes by the rule of C3; what Python refuses is merged, the first first, and a class may be its own base."""
    source = """
        class A:
            def f(self): pass
        class B(A): pass
        class C(A):
            def f(self): pass
        class D(B, C):
            def g(self): self.f()
        class E(A, B):
            def g(self): self.f()
        class X(Y):
            def g(self): self.f()
        class Y(X):
            def f(self): pass
    """
    found = {(start, end) for start, _, end in edges(source, "calls")}
    assert found == {("m.D.g", "m.C.f"), ("m.E.g", "m.A.f"), ("m.X.g", "m.Y.f")}
