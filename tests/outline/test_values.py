"""Functions that are named without being called: passed as arguments, stored, or put into tables"""

import pytest

from outline.conftest import edge_lines, lines, outline

# by language: sources by path, and the functions that are used as values
CASES = {
    "go": (
        {
            "a.go": """\
package a

type T struct{}

func (t *T) Run() {}

func less(a, b int) bool { return a < b }

func apply(f func(a, b int) bool) {}

func use(t *T) { apply(less); f := t.Run; f() }
""",
        },
        """
        a.use uses a.T package
        a.use uses a.less package
        a.use uses a.(*T).Run type
        """,
    ),
    "python": (
        {
            "a.py": """\
class T:
    def run(self): ...

    @property
    def size(self): ...


def cb(x): ...


def use(t: T, xs):
    list(map(cb, xs))
    table = {"x": cb, "run": t.run, "size": t.size}
    return table
""",
        },
        """
        a.use uses a.T module
        a.use uses a.cb module
        a.use uses a.T.run type
        """,
    ),
    "typescript": (
        {
            "a.tsx": """\
class T { run() {} get size() { return 1; } }
function cb(x: number) { return x; }
const handleClick = () => {};
function use(t: T, xs: number[]) {
  xs.map(cb);
  setTimeout(t.run, t.size);
  return <button onClick={handleClick} />;
}
""",
        },
        """
        a#use uses a#T module
        a#use uses a#cb module
        a#use uses a#T.run type
        a#use uses a#handleClick module
        """,
    ),
    "javascript": (
        {
            "a.jsx": """\
function cb(x) { return x; }
function handleClick() {}
function use(xs) {
  xs.map(cb);
  return <button onClick={handleClick} />;
}
""",
        },
        """
        a#use uses a#cb module
        a#use uses a#handleClick module
        """,
    ),
    "java": (
        {
            "a/A.java": """\
package a;
class A {
  static int g(int x) { return x; }
  void run() {}
  void use(java.util.List<Integer> xs) { xs.stream().map(A::g); new Thread(this::run); }
}
""",
        },
        """
        a.A.use(List) uses java.util.List native
        a.A.use(List) uses java.lang.Integer native
        a.A.use(List) uses java.lang.Thread native
        a.A.use(List) uses a.A local
        a.A.use(List) uses a.A.g(int) type
        a.A.use(List) uses a.A.run() receiver
        """,
    ),
    "rust": (
        {
            "src/lib.rs": """\
pub struct T;
impl T { fn size(&self) -> usize { 1 } }
fn cb(x: &u8) -> u8 { *x }
pub fn run(xs: Vec<u8>, ts: Vec<T>) {
    let a: Vec<u8> = xs.iter().map(cb).collect();
    let b: Vec<usize> = ts.iter().map(T::size).collect();
}
""",
        },
        """
        crate::run uses std::vec::Vec native
        crate::run uses crate::T module
        crate::run uses crate::cb module
        crate::run uses crate::T::size type
        """,
    ),
    "c": (
        {
            "a.c": """\
#include <stdlib.h>
static int cmp(const void *a, const void *b) { return 0; }
void handler(void) {}
struct ops { void (*run)(void); };
struct ops table = { .run = handler };
void use(int *xs) { qsort(xs, 3, sizeof(int), cmp); atexit(&handler); }
""",
        },
        """
        table uses ops local
        a.c uses handler local
        use uses a.c:cmp local
        use uses handler local
        """,
    ),
    "cpp": (
        {
            "a.cpp": """\
#include <algorithm>
struct A { static bool g(int a, int b) { return a < b; } void m() {} };
bool less(int a, int b) { return a < b; }
void use(int *xs) { std::sort(xs, xs + 3, less); std::sort(xs, xs + 3, A::g); auto p = &A::m; }
""",
        },
        """
        use uses less local
        use uses A local
        use uses A::g type
        use uses A::m type
        """,
    ),
}


@pytest.mark.parametrize("language", CASES)
def test_functions_as_values_are_used(language: str) -> None:
    """A function that is only passed on is not without users."""
    sources, expected = CASES[language]
    graph = outline(language, sources)
    found = {one for one in edge_lines(graph, "uses") if " uses int" not in one}
    users = tuple(f"{one.split(' uses ')[0]} uses " for one in lines(expected))
    assert {one for one in found if one.startswith(users)} == lines(expected)
