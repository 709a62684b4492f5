"""Macros and directives that hide declarations from the grammars of C and C++, replaced by spaces
before a second parse.

Offsets stay.
"""

import re
from itertools import pairwise

# class EXPORT Name : Base {        the macro is no name
EXPORTED = re.compile(
    rb"\b(?:class|struct|union)\s+([A-Z][A-Z0-9_]+)\s+(?=[A-Za-z_]\w*\s*(?:final\s*)?[:{])"
)
# int f OF((int a, int b));         a prototype for compilers before 1989
OLD = re.compile(
    rb"\b(?:OF|__P|P_|PARAMS|PROTO|_PROTO|ARGS|PROTOTYPE|_ANSI_ARGS_|__PROTO)\s*\((?=\()"
)
# EXPORT int f();                    where the name of the macro tells its meaning
SHARED = re.compile(rb"\b[A-Z][A-Z0-9_]*_(?:EXPORT|API|EXTERN|PUBLIC)\b(?=\s+[A-Za-z_])")
# int WINAPI f(int a)               a word between a built-in type and the name of a function
_TYPE = rb"(?:int|void|char|long|short|float|double|unsigned|signed|bool|[a-z]\w*_t)\b"
CALLING = re.compile(
    rb"(?m)^(?:[A-Za-z_]\w*[ \t]+){0,4}?"
    + _TYPE
    + rb"[ \t*]*?\b([A-Z][A-Z0-9_]{2,})[ \t]+(?=\**[A-Za-z_]\w*[ \t]*\()"
)
# EXTERN int f(int a)               a word before a built-in type
LEADING = re.compile(rb"(?m)^([A-Z][A-Z0-9_]{2,})[ \t]+(?=(?:const[ \t]+)?" + _TYPE + rb")")
# int x GUARDED_BY(mutex);           for Clang's analysis of threads
THREADS = re.compile(
    rb"\b(?=[A-Z]{2})(?:(?:PT_)?GUARDED_BY|ACQUIRED_BEFORE|ACQUIRED_AFTER|(?:EXCLUSIVE"
    rb"|SHARED)_LOCKS_REQUIRED|LOCKS_EXCLUDED|UNLOCK_FUNCTION"
    rb"|(?:EXCLUSIVE|SHARED)_(?:TRY)?LOCK_FUNCTION|ASSERT_(?:EXCLUSIVE|SHARED)_LOCK"
    rb"|LOCK_RETURNED|SCOPED_LOCKABLE|LOCKABLE"
    rb"|NO_THREAD_SAFETY_ANALYSIS)\b(?:[ \t]*\([^()\n]*\))?"
)
# int f(char *, ...) PRINTF_LIKE(1, 2);    a word after the parameters of a prototype
TRAILING = re.compile(
    rb"(?m)^(?!else\b|return\b|typedef\b)[A-Za-z_]\w*[ \t*]+[A-Za-z_][\w \t*]*"
    rb"\([^;{}#]{0,400}?\)\s*\b([A-Z][A-Z0-9_]{3,}(?:[ \t]*\([^()\n;]*\))?)[ \t]*;"
)
# #ifdef __cplusplus                  only compilers of C++ see the brace
# extern "C" {
# #endif
LINKAGE = re.compile(
    rb"(?m)^[ \t]*#[ \t]*if[^\n]*\b__cplusplus\b[^\n]*\n\s*(extern\s+\"C\"\s*\{|\})"
    rb"(?=[^\n]*\n\s*#[ \t]*endif)"
)
# a condition of the preprocessor around a few lines: its start, its other branches, its end
CONDITION = re.compile(rb"(?m)^[ \t]*#[ \t]*(if|elif|else|endif)[^\n]*$")
COMMENT = re.compile(rb"(?ms)/\*.*?\*/|//[^\n]*$|^[ \t]*#[^\n]*$")  # also other directives
MAX_CONDITION = 400  # bytes from the start of such a condition to its end
DIRECTIVE = re.compile(rb"[ \t]*#")
MAX_PARAMETER_LIST = 4000  # bytes
PATTERNS = (
    (EXPORTED, 1),
    (CALLING, 1),
    (LEADING, 1),
    (SHARED, 0),
    (THREADS, 0),
    (TRAILING, 1),
    (LINKAGE, 1),
)


def blanked(source: bytes) -> bytes:
    """Return the source with such macros replaced by spaces."""
    found = bytearray(source)
    for match in OLD.finditer(source) if b"((" in source else ():
        if (end := _closing(source, match.end() - 1)) is None:
            # nothing after a list that never ends is a prototype; looking on would take quadratic
            # time
            break
        found[match.start() : match.end()] = b" " * (match.end() - match.start())
        found[end : end + 1] = b" "
    plain = bytes(found)
    for pattern, group in PATTERNS:
        line = last = 0
        for match in pattern.finditer(plain):
            start, end = match.span(group)
            line = max(
                line, plain.rfind(b"\n", last, start) + 1
            )  # from the last match on: lines can be long
            last = end
            if DIRECTIVE.match(plain, line) is None:
                found[start:end] = b" " * (end - start)
    return bytes(found)


def without_conditions(source: bytes) -> bytes:
    """Return the source with the first branch of every condition around parts of declarations or
    statements, which the grammars do not understand.
    """
    found = bytearray(source)
    stack: list[tuple[int, list[re.Match[bytes]]]] = []
    for match in CONDITION.finditer(source):
        if match[1] == b"if":
            stack.append((match.start(), []))
        if not stack:
            continue
        start, branches = stack[-1]
        branches.append(match)
        if match[1] == b"endif":
            stack.pop()
            if match.end() - start <= MAX_CONDITION and not _are_whole(source, branches):
                first, second = branches[:2]
                for begin, end in (first.span(), (second.start(), match.end())):
                    found[begin:end] = re.sub(rb"[^\n]", b" ", source[begin:end])
    return bytes(found)


def _are_whole(source: bytes, branches: list[re.Match[bytes]]) -> bool:
    """Tell whether all branches of a condition consist of whole declarations or statements."""
    parts = [
        COMMENT.sub(b"", source[branch.end() : other.start()]).strip()
        for branch, other in pairwise(branches)
    ]
    return all(
        part.count(b"{") == part.count(b"}") and part[-1:] in (b"", b";", b"}") for part in parts
    )


def _closing(source: bytes, start: int) -> int | None:
    """Return where a parenthesis is closed."""
    depth = 0
    for at in range(start, min(len(source), start + MAX_PARAMETER_LIST)):
        depth += (source[at] == 0x28) - (source[at] == 0x29)
        if not depth:
            return at
    return None
