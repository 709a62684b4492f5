"""The shared types: frozen dataclasses and enums that every package uses.

 memory       Memory with its enums, files, symbols and verdict; Record, the base of all
 records      chunks, other wordings and names, quarantined texts, uses, tokens
 graph        edges and legacy links
 notes        markdown folders and their notes
 hits         hits of a search, and the reasons for their order
 packs        packs of a context, and the reasons for their memories
 lifecycle    rules, runs and their reports

Modules are loaded when one of their names is first used, because a cold command needs few of
them."""

from typing import TYPE_CHECKING

from ghostmem.lazy import lazy_names

if TYPE_CHECKING:
    from ghostmem.model.graph import Edge, Link, Tie
    from ghostmem.model.hits import Hit, Hits, Receipt
    from ghostmem.model.lifecycle import SYSTEM, Change, Report, Rule, Run
    from ghostmem.model.memory import (
        CAPTURED,
        EDGE_WEIGHTS,
        HEARSAY,
        LOCKED,
        MACHINE_TAGS,
        MINED,
        REASONING,
        THREAD,
        TIER_ABOVE,
        TIER_BELOW,
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
        Verdict,
        VerdictKind,
        estimate_tokens,
        is_namespace,
        optional,
        plain,
    )
    from ghostmem.model.notes import Folder, Note, Place, Stat
    from ghostmem.model.packs import Hop, LeftOut, Pack, Packed, Stage, Why
    from ghostmem.model.records import Access, Alias, Chunk, Held, SourceAlias, Token

_MODULES = {
    "memory": (
        "CAPTURED EDGE_WEIGHTS FileRef FileRel HEARSAY Kind LOCKED MACHINE_TAGS MINED Memory "
        "NsFilter Outcome Priority REASONING Record Rel Sort SourceKind SymbolRef THREAD "
        "TIER_ABOVE TIER_BELOW TRANSCRIPT Tier Verdict VerdictKind estimate_tokens "
        "is_namespace optional plain"
    ),
    "records": "Access Alias Chunk Held SourceAlias Token",
    "graph": "Edge Link Tie",
    "hits": "Hit Hits Receipt",
    "packs": "Hop LeftOut Pack Packed Stage Why",
    "lifecycle": "Change Report Rule Run SYSTEM",
    "notes": "Folder Note Place Stat",
}

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
    "TIER_ABOVE",
    "TIER_BELOW",
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

__getattr__ = lazy_names(__name__, _MODULES)
