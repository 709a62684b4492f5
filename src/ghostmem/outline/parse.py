"""Parse one file and extract its facts; no file can stop the outline of the others."""

import codecs
import hashlib
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from time import thread_time
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

from ghostmem.outline.languages.base import Facts, Language

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

_PROGRAM = {".py", ".txt"}  # code and data
_PROBED_BYTES = 8000  # the part of a file that is searched for zeros, which only binary files have
# CPU time in which a file must be parsed: about fifty times the usual time
MIN_PARSE_MICROS, PARSE_MICROS_PER_BYTE = 2_000_000, 10
# the surrogates that stand for bytes that are not UTF-8, and the characters of Latin-1
_LATIN_1 = {0xDC00 + byte: byte for byte in range(0x80, 0x100)}


class UnparsableError(Exception):
    """A file must be left out; the message says why."""


def facts_of(language: Language, path: str, content: bytes) -> Facts:
    """Return the facts of a file.

    A binary file, and one that is nested too deeply, has the facts of an empty file and an error.
    """
    parser = _parser(language, path.rpartition(".")[2].lower())
    source = normalized(content)
    try:
        if b"\0" not in source[:_PROBED_BYTES]:
            if reason := language.refuse(source):
                raise UnparsableError(reason)
            return language.extract(_parsed(parser, source), source, path)
    except RecursionError:  # nested too deeply
        pass
    facts = language.extract(_parsed(parser, b""), b"", path)
    facts.errors = [1]
    return facts


def normalized(content: bytes) -> bytes:
    """Return the text of a file in UTF-8, with lines that end in a line feed.

    Bytes that are not UTF-8 are read as Latin-1. UTF-16 is recognised by its byte order mark, and
    carriage returns alone end lines only in a file without line feeds."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        content = content.decode("utf-16", "replace").encode()
    elif b"\0" not in content[:_PROBED_BYTES]:
        try:
            content.decode()
        except UnicodeDecodeError:
            content = content.decode(errors="surrogateescape").translate(_LATIN_1).encode()
    return content if b"\n" in content else content.replace(b"\r", b"\n")


def content_digest(path: str, source: bytes) -> str:
    """Return the hash of a file; identical files have the same facts.

    Only the suffix decides how a file is parsed.
    """
    return hashlib.sha256(path.rpartition(".")[2].encode() + b"\0" + source).hexdigest()


def _parsed(parser: "Parser", source: bytes) -> "Node":
    limit = MIN_PARSE_MICROS + PARSE_MICROS_PER_BYTE * len(source)
    with catch_warnings():
        # the timeout is deprecated, but its replacement does not accept bytes, and crashes
        simplefilter("ignore", DeprecationWarning)
        parser.timeout_micros = limit  # type: ignore[misc]
    began = thread_time()
    while (thread_time() - began) * 1_000_000 < limit:
        # the parser measures wall-clock time: on a busy machine it continues where it stopped
        with suppress(ValueError):
            return parser.parse(source).root_node
    parser.reset()  # otherwise it would continue with this file when it gets the next one
    raise UnparsableError("takes too long to parse")


@cache
def grammar_version(package: str) -> str:
    """Return the versions of a grammar and of the parser."""
    return f"{package} {version(package)}, tree-sitter {version('tree-sitter')}"


@cache
def program() -> str:
    """Return a hash of this package and of the Python version.

    A stored graph with another hash is not used."""
    digest = hashlib.sha256(f"{sys.version} {sys.byteorder}".encode())
    files = (path for path in Path(__file__).parent.rglob("*.*") if path.suffix in _PROGRAM)
    for path in sorted(files):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


@cache
def _parser(language: Language, suffix: str) -> "Parser":
    """Return the parser for a kind of file; some languages have several grammars."""
    from tree_sitter import Language as Grammar
    from tree_sitter import Parser

    return Parser(Grammar(language.grammar(f"x.{suffix}")))
