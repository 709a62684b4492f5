"""Macros and directives that hide declarations from the grammars of C and C++, replaced by spaces
before a second parse.

Offsets stay.
"""

import re

# a built-in type
_TYPE = rb"(?:int|void|char|long|short|float|double|unsigned|signed|bool|[a-z]\w*_t)\b"
DIRECTIVE = re.compile(rb"[ \t]*#")
# what hides a declaration, and the group of the match that is replaced
PATTERNS = (
    # class EXPORT Name : Base {        the macro is no name
    (
        re.compile(
            rb"\b(?:class|struct|union)\s+([A-Z][A-Z0-9_]+)\s+(?=[A-Za-z_]\w*\s*(?:final\s*)?[:{])"
        ),
        1,
    ),
    # int WINAPI f(int a)               a word between a built-in type and the name of a function
    (
        re.compile(
            rb"(?m)^(?:[A-Za-z_]\w*[ \t]+){0,4}?"
            + _TYPE
            + rb"[ \t*]*?\b([A-Z][A-Z0-9_]{2,})[ \t]+(?=\**[A-Za-z_]\w*[ \t]*\()"
        ),
        1,
    ),
    # EXTERN int f(int a)               a word before a built-in type
    (re.compile(rb"(?m)^([A-Z][A-Z0-9_]{2,})[ \t]+(?=(?:const[ \t]+)?" + _TYPE + rb")"), 1),
    # EXPORT int f();                    where the name of the macro tells its meaning
    (re.compile(rb"\b[A-Z][A-Z0-9_]*_(?:EXPORT|API|EXTERN|PUBLIC)\b(?=\s+[A-Za-z_])"), 0),
    # int x GUARDED_BY(mutex);           for Clang's analysis of threads
    (
        re.compile(
            rb"\b(?=[A-Z]{2})(?:(?:PT_)?GUARDED_BY|ACQUIRED_BEFORE|ACQUIRED_AFTER|(?:EXCLUSIVE"
            rb"|SHARED)_LOCKS_REQUIRED|LOCKS_EXCLUDED|UNLOCK_FUNCTION"
            rb"|(?:EXCLUSIVE|SHARED)_(?:TRY)?LOCK_FUNCTION|ASSERT_(?:EXCLUSIVE|SHARED)_LOCK"
            rb"|LOCK_RETURNED|SCOPED_LOCKABLE|LOCKABLE"
            rb"|NO_THREAD_SAFETY_ANALYSIS)\b(?:[ \t]*\([^()\n]*\))?"
        ),
        0,
    ),
    # int f(char *, ...) PRINTF_LIKE(1, 2);    a word after the parameters of a prototype
    (
        re.compile(
            rb"(?m)^(?!else\b|return\b|typedef\b)[A-Za-z_]\w*[ \t*]+[A-Za-z_][\w \t*]*"
            rb"\([^;{}#]{0,400}?\)\s*\b([A-Z][A-Z0-9_]{3,}(?:[ \t]*\([^()\n;]*\))?)[ \t]*;"
        ),
        1,
    ),
    # #ifdef __cplusplus                  only compilers of C++ see the brace
    # extern "C" {
    # #endif
    (
        re.compile(
            rb"(?m)^[ \t]*#[ \t]*if[^\n]*\b__cplusplus\b[^\n]*\n\s*(extern\s+\"C\"\s*\{|\})"
            rb"(?=[^\n]*\n\s*#[ \t]*endif)"
        ),
        1,
    ),
)


def blanked(source: bytes) -> bytes:
    """Return the source with such macros replaced by spaces."""
    found = bytearray(source)
    for pattern, group in PATTERNS:
        line = last = 0
        for match in pattern.finditer(source):
            start, end = match.span(group)
            line = max(
                line, source.rfind(b"\n", last, start) + 1
            )  # from the last match on: lines can be long
            last = end
            if DIRECTIVE.match(source, line) is None:
                found[start:end] = b" " * (end - start)
    return bytes(found)
