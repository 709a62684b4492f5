"""The shared types: frozen dataclasses and enums that every package uses.

 memory       Memory with its enums, files and symbols; Record, the base of all
 verdict      how a new text relates to stored memories
 records      chunks, aliases and source aliases
 access       quarantined texts, accesses, tokens
 graph        edges and legacy links
 notes        markdown folders and their notes
 answers      hits of a search, packs of a context, and the reasons for them
 maintenance  lifecycle rules, runs and reports

Modules are loaded when one of their names is first used, because a cold command needs few of
them."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ghostmem.model.access import Access, Held, Token
    from ghostmem.model.answers import Hit, Hits, Hop, LeftOut, Pack, Packed, Receipt, Stage, Why
    from ghostmem.model.graph import Edge, Link, Tie
    from ghostmem.model.maintenance import SYSTEM, Change, Report, Rule, Run
    from ghostmem.model.memory import (
        CAPTURED,
        EDGE_WEIGHTS,
        HEARSAY,
        LOCKED,
        MACHINE_TAGS,
        MINED,
        REASONING,
        THREAD,
        TRANSCRIPT,
        FileRef,
        FileRel,
        Kind,
        Memory,
        NsFilter,
        Outcome,
        Priority,
        Record,
        Rel,
        Sort,
        SourceKind,
        SymbolRef,
        Tier,
        estimate_tokens,
        is_namespace,
        optional,
        plain,
    )
    from ghostmem.model.notes import Folder, Note, Place, Stat
    from ghostmem.model.records import Alias, Chunk, SourceAlias
    from ghostmem.model.verdict import Verdict, VerdictKind

_MODULES = {
    "memory": (
        "CAPTURED EDGE_WEIGHTS FileRef FileRel HEARSAY Kind LOCKED MACHINE_TAGS MINED Memory "
        "NsFilter Outcome Priority REASONING Record Rel Sort SourceKind SymbolRef THREAD "
        "TRANSCRIPT Tier estimate_tokens is_namespace optional plain"
    ),
    "verdict": "Verdict VerdictKind",
    "records": "Alias Chunk SourceAlias",
    "access": "Access Held Token",
    "graph": "Edge Link Tie",
    "answers": "Hit Hits Hop LeftOut Pack Packed Receipt Stage Why",
    "maintenance": "Change Report Rule Run SYSTEM",
    "notes": "Folder Note Place Stat",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "CAPTURED",
    "EDGE_WEIGHTS",
    "HEARSAY",
    "LOCKED",
    "MACHINE_TAGS",
    "MINED",
    "REASONING",
    "SYSTEM",
    "THREAD",
    "TRANSCRIPT",
    "Access",
    "Alias",
    "Change",
    "Chunk",
    "Edge",
    "FileRef",
    "FileRel",
    "Folder",
    "Held",
    "Hit",
    "Hits",
    "Hop",
    "Kind",
    "LeftOut",
    "Link",
    "Memory",
    "Note",
    "NsFilter",
    "Outcome",
    "Pack",
    "Packed",
    "Place",
    "Priority",
    "Receipt",
    "Record",
    "Rel",
    "Report",
    "Rule",
    "Run",
    "Sort",
    "SourceAlias",
    "SourceKind",
    "Stage",
    "Stat",
    "SymbolRef",
    "Tie",
    "Tier",
    "Token",
    "Verdict",
    "VerdictKind",
    "Why",
    "estimate_tokens",
    "is_namespace",
    "optional",
    "plain",
]


def __getattr__(name: str) -> Any:
    """Load a type when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'ghostmem.model' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"ghostmem.model.{_HOME[name]}"), name)
    globals()[name] = value
    return value
