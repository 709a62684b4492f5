"""The little that is known of the standard library: what its commonest functions and generic
methods give.

A type is written as in Go with full import paths; $0, $1 are type arguments, #0 the type of an
argument, #0.e its element."""

from functools import cache
from pathlib import Path
from typing import Any

from ghostmem.outline.languages.go_.types import PREDECLARED_TYPES, Type, basic

# one line each: a function or method, then its result
_TABLE = """
errors.New error
errors.Join error
errors.Unwrap error
fmt.Errorf error
fmt.Sprintf string
fmt.Sprint string
fmt.Sprintln string
strings.ToLower string
strings.ToUpper string
strings.TrimSpace string
strings.Join string
strings.Split []string
strings.Fields []string
strings.NewReader *strings.Reader
strings.NewReplacer *strings.Replacer
bytes.NewBuffer *bytes.Buffer
bytes.NewBufferString *bytes.Buffer
bytes.NewReader *bytes.Reader
bufio.NewReader *bufio.Reader
bufio.NewWriter *bufio.Writer
bufio.NewScanner *bufio.Scanner
context.Background context.Context
context.TODO context.Context
time.Now time.Time
time.Since time.Duration
reflect.ValueOf reflect.Value
reflect.TypeOf reflect.Type
regexp.MustCompile *regexp.Regexp
log.New *log.Logger
slices.Clone #0
slices.Grow #0
slices.Clip #0
slices.Insert #0
slices.Delete #0
slices.DeleteFunc #0
slices.Compact #0
slices.CompactFunc #0
slices.Max #0.e
slices.Min #0.e
slices.MaxFunc #0.e
slices.MinFunc #0.e
slices.Sorted []#0.k
slices.SortedFunc []#0.k
slices.Collect []#0.k
slices.Values func(yield(#0.e))
slices.All func(yield(int,#0.e))
slices.Backward func(yield(int,#0.e))
maps.Clone #0
maps.Keys func(yield(#0.k))
maps.Values func(yield(#0.e))
cmp.Or #0
sync.OnceValue #0
sync.OnceFunc #0
sync/atomic.Pointer.Load *$0
sync/atomic.Pointer.Swap *$0
error.Error string
bytes.Buffer.String string
bytes.Buffer.Bytes []byte
strings.Builder.String string
time.Time.Sub time.Duration
time.Time.Add time.Time
reflect.Value.Type reflect.Type
reflect.Value.Elem reflect.Value
reflect.Value.Field reflect.Value
reflect.Value.Index reflect.Value
reflect.Type.Elem reflect.Type
"""
_KNOWN = dict(line.split(" ", 1) for line in _TABLE.split("\n") if line)
# of which a conversion is made as often as a variable
TYPES = frozenset(
    "net/http.HandlerFunc time.Duration html/template.HTML encoding/json.RawMessage "
    "sort.StringSlice sort.IntSlice reflect.Kind "
    "unsafe.Pointer net/http.Header net/url.Values time.Month time.Weekday io/fs.FileMode "
    "os.FileMode syscall.Errno".split()
)


@cache
def interfaces() -> frozenset[str]:
    """Return the interfaces of the standard library by import path and name."""
    path = Path(__file__).parents[1] / "data" / "go_interfaces.txt"
    rows = [line.split() for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return frozenset({"error", "any", *(f"{row[0]}.{name}" for row in rows for name in row[1:])})


def result(kind: Any, given: list[Any]) -> Type:
    """Return the result of calling a name of a package outside, where that is known."""
    name = f"{kind[1]}.{kind[2]}"
    if name in TYPES:
        return kind  # type: ignore[no-any-return]
    text = _KNOWN.get(name)
    return None if text is None else _parsed(text, tuple(kind[3]), tuple(given))


def member(kind: Any, name: str) -> Type:
    """Return the function type of a method of a type outside, where that is known."""
    owner = f"{kind[1]}.{kind[2]}" if kind[0] == "x" else kind[1]
    text = _KNOWN.get(f"{owner}.{name}")
    if text is None:
        return None
    return ("f", (), (_parsed(text, tuple(kind[3]) if kind[0] == "x" else (), ()),), 0, ())


@cache
def _parsed(text: str, args: tuple[Type, ...], given: tuple[Type, ...]) -> Type:
    if text.startswith("*"):
        return ("p", _parsed(text[1:], args, given))
    if text.startswith("[]"):
        return ("s", _parsed(text[2:], args, given))
    if text.startswith("func(yield("):
        parts = text.removeprefix("func(yield(").removesuffix("))").split(",")
        inner = tuple(_parsed(part, args, given) for part in parts)
        return ("f", (("f", inner, (basic("bool"),), 0, ()),), (), 0, ())
    if text[0] == "$":
        return args[int(text[1])] if int(text[1]) < len(args) else None
    if text[0] == "#":
        return _argument(text, given)
    if text in PREDECLARED_TYPES:
        return basic(text)
    path, _, name = text.rpartition(".")
    return ("x", path, name, ())


def _argument(text: str, given: tuple[Type, ...]) -> Type:
    one = given[int(text[1])] if int(text[1]) < len(given) else None
    match one, text[2:]:
        case _, "":
            return one
        case ("m", key, _), ".k":
            return key  # type: ignore[no-any-return]
        case ("m", _, value), ".e":
            return value  # type: ignore[no-any-return]
        case ("s" | "a", value), ".e":
            return value  # type: ignore[no-any-return]
        case ("f", (("f", (key, *_), _, _, _), *_), _, _, _), ".k":
            return key  # type: ignore[no-any-return]
    return None
