"""Macros and directives that hide declarations from the grammars of C and C++, replaced by spaces
before a second parse.

Offsets stay.
"""

import re

# class EXPORT Name : Base {        the macro is no name
EXPORTED = re.compile(
    rb"\b(?:class|struct|union)\s+([A-Z][A-Z0-9_]+)\s+(?=[A-Za-z_]\w*\s*(?:final\s*)?[:{])"
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
DIRECTIVE = re.compile(rb"[ \t]*#")
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
