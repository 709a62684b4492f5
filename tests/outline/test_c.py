"""C: what files say, and exact sets of edges for what other tools get wrong."""

from functools import partial

import pytest

from outline.conftest import edge_lines, edges, facts_of, loose, outline

graph = partial(outline, "c")


PROJECT = {
    "include/calc.h": """
#ifndef CALC_H
#define CALC_H
#include <stdio.h>
#include <curl/curl.h>
typedef struct point { int x; struct point *next; } Point;
enum color { RED, GREEN };
extern int total;
int add(int a, int b);
int nowhere(void);
#endif
""",
    "src/calc.c": """
#include "calc.h"
int total = 0;
static int helper(int x) { return x; }
int add(int a, int b) { total += helper(a); return a + b + RED; }
""",
    "src/main.c": """
#include "../include/calc.h"
#include "missing.h"
static int helper(int y) { return y; }
static int (*callback)(int) = helper;
int start = add(1, 2);
int main(void) {
    Point p; struct point *q = &p; int add_result = add(1, 2);
    helper(3); nowhere(); printf("%d", total); total = LIMIT;
    callback(1); unknown(2); q->next->run(1); FILE *f = stdin;
    return add_result;
}
""",
    "src/other.c": "int unknown(int x) { return x; }\nint total_of(int total) { total = 2; return total; }\n",
}


def test_static_functions_headers_and_definitions():
    """A call binds to the definition behind a header; a static function to the one of its own file; the rest is loose."""
    linked = graph(PROJECT)
    assert edges(linked, "calls", "accesses", "assigns") == {
        ("add", "calls", "calc.c:helper", "local"),
        ("add", "accesses", "total", "import"),
        ("add", "assigns", "total", "import"),
        ("add", "accesses", "RED", "import"),
        ("src/main.c", "calls", "add", "import"),
        ("main", "calls", "add", "import"),
        ("main", "calls", "main.c:helper", "local"),
        ("main", "calls", "nowhere", "import"),
        ("main", "calls", "printf", "native"),
        ("main", "accesses", "total", "import"),
        ("main", "assigns", "total", "import"),
        ("main", "accesses", "stdin", "native"),
        ("main", "accesses", "main.c:callback", "local"),
    }
    assert loose(linked) == {
        ("calls", "callback", 1),
        ("calls", "unknown", 1),
        ("calls", "q->next->run", 0),
        ("accesses", "LIMIT", 0),
    }


def test_a_declaration_is_no_second_symbol():
    """What a header declares is one node at its definition, or one at the header when there is none."""
    linked = graph(PROJECT)
    where = {
        node.name: (node.file, node.line, node.kind) for node in linked.nodes.values() if node.file
    }
    assert where["add"] == ("src/calc.c", 5, "function")
    assert where["total"] == ("src/calc.c", 3, "variable")
    assert where["nowhere"] == ("include/calc.h", 10, "function")
    assert sum(node.name == "add" for node in linked.nodes.values()) == 1


def test_includes_types_and_declares():
    """Includes are files, native or external; types are used through tags and typedefs."""
    linked = graph(PROJECT)
    assert edges(linked, "imports") == {
        ("include/calc.h", "imports", "stdio.h", "native"),
        ("include/calc.h", "imports", "curl/curl.h", "external"),
        ("src/calc.c", "imports", "include/calc.h", "import"),
        ("src/main.c", "imports", "include/calc.h", "import"),
        ("src/main.c", "imports", "missing.h", "external"),
    }
    assert edges(linked, "uses") == {
        ("Point", "uses", "point", "local"),
        ("main", "uses", "Point", "import"),
        ("main", "uses", "point", "import"),
        ("main", "uses", "FILE", "native"),
        ("src/main.c", "uses", "main.c:helper", "local"),
    }
    assert {
        one
        for one in edges(linked, "declares")
        if "calc.h" in one[0] or "::" in one[2] or one[0] == "color"
    } == {
        ("include/calc.h", "declares", "point", "local"),
        ("include/calc.h", "declares", "Point", "local"),
        ("include/calc.h", "declares", "color", "local"),
        ("include/calc.h", "declares", "nowhere", "local"),
        ("point", "declares", "point::x", "local"),
        ("point", "declares", "point::next", "local"),
        ("color", "declares", "RED", "local"),
        ("color", "declares", "GREEN", "local"),
    }


def test_two_definitions_behind_one_header_are_both_kept():
    """Variants for two systems: neither is chosen."""
    linked = graph(
        {
            "os.h": "void wait_for(void);\n",
            "linux.c": '#include "os.h"\nvoid wait_for(void) {}\n',
            "windows.c": '#include "os.h"\nvoid wait_for(void) {}\n',
            "main.c": '#include "os.h"\nint main(void) { wait_for(); return 0; }\n',
        }
    )
    calls = [(one.end.split("#")[0], one.via) for one in linked.links if one.kind == "calls"]
    assert calls == [("linux.c", "conditional"), ("windows.c", "conditional")]


def test_locals_and_parameters_shadow_functions_and_variables():
    """A parameter called like a function is not that function."""
    linked = graph(
        {
            "a.c": "int size;\nint run(void) { return 1; }\nint go(int (*run)(void), int size) { size = 2; { int run = 1; } return run(); }\n"
        }
    )
    assert edges(linked, "calls", "accesses", "assigns") == set()
    assert loose(linked) == {("calls", "run", 1)}


def test_casts_sizes_and_old_prototypes():
    """`(T)(x)` and `sizeof(T)` use a type; `OF((...))` is a parameter list; words around a built-in type are macros."""
    linked = graph(
        {
            "a.c": "typedef long Big;\nEXTERN int CALL f OF((Big b));\nint CALL f(Big b) { return (Big)(b) + sizeof(Big) + f(1); }\n"
        }
    )
    assert edges(linked, "calls", "uses", "accesses") == {
        ("f", "uses", "Big", "local"),
        ("f", "calls", "f", "local"),
    }
    assert loose(linked) == set()


def test_a_function_that_returns_a_pointer_to_a_function():
    """It is a function, and its locals are no variables of the file."""
    linked = graph(
        {
            "a.c": "int one(int x) { return x; }\n"
            "int (*choose(int kind))(int) { int chosen = one(kind); return chosen ? one : 0; }\n"
            "int use(void) { return choose(1) != 0; }\n"
        }
    )
    assert edges(linked, "calls") == {
        ("choose", "calls", "one", "local"),
        ("use", "calls", "choose", "local"),
    }
    assert {source for source, *_ in edges(linked, "declares")} <= {"a.c"}
    assert "chosen" not in {target for _, _, target, _ in edges(linked, "declares")}


HOSTILE = {
    "broken": b"int ( { struct ; typedef enum = -> . x( } #include\n#include <\n#if",
    "pointers": b"int " + b"*" * 5000 + b"x;",
    "parentheses": b"int " + b"(" * 3000 + b"x" + b")" * 3000 + b";",
    "cycle": b'#include "a.c"\ntypedef T U; typedef U T; T f(T t) { return t->x(); }',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_never_raises(name):
    """Whatever the bytes, there are facts and a graph."""
    assert "a.c#" in graph({"a.c": HOSTILE[name], "b.c": '#include "a.c"\n'}).nodes


def test_macros_after_a_prototype():
    """Its function is declared; a call of a macro in a body stays a call."""
    linked = graph(
        {
            "log.h": "#define LIKE(a, b)\nint said(const char *text, ...) PRINTF_LIKE(1, 2);\n"
            "int quiet(int a,\n          int b) NO_RETURN;\n",
            "log.c": '#include "log.h"\nint said(const char *text, ...) { return 1; }\n',
            "main.c": '#include "log.h"\n#define FAIL(x) x\n'
            "int main(void) {\n  if (said(0)) FAIL(1);\n  quiet(1, 2);\n}\n",
        }
    )
    assert {one[:3] for one in edges(linked, "calls")} == {
        ("main", "calls", "said"),
        ("main", "calls", "quiet"),
    }
    assert loose(linked) == {("calls", "FAIL", 0)}


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
int g(int a
#ifdef MORE
  , int b
#else
  , long b
#endif
) { return a; }
void h(int x) {
#ifdef FAST
  if (x) {
#else
  if (!x) {
#endif
    g(1, 2);
  }
}
#ifdef FAST
int fast(void) { return 1; }
#else
int slow(void) { return 2; }
#endif
"""


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_conditions_of_the_preprocessor(language):
    """Those that split a declaration or a block are no errors, and hide nothing around them."""
    facts = facts_of(language, {"a.h": HEADER, "b.c": CONDITIONS})
    assert [one.errors for one in facts.values()] == [[], []]
    nodes = outline(language, {"a.h": HEADER, "b.c": CONDITIONS}).nodes.values()
    assert {(node.name, node.line) for node in nodes if node.kind != "file"} == {
        *(("f", 5), ("g", 2), ("h", 9), ("fast", 19), ("slow", 21))
    }
    assert edge_lines(outline(language, {"b.c": CONDITIONS}), "calls") == {"h calls g local"}
