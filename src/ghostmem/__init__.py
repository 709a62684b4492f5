"""Ghost: memory for AI agents that lasts.

    from ghostmem import Ghost

    with Ghost.open() as ghost:
        ghost.put("agent:me", "tea", "The user drinks green tea.")

`__all__` is the contract; every name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

from ghostmem._version import __version__

if TYPE_CHECKING:
    from ghostmem.adapters.memory_search_tool import MemorySearchTool
    from ghostmem.adapters.memory_tools import MemorySave, MemorySearch
    from ghostmem.adapters.tool import Tool
    from ghostmem.chunk import Chunk
    from ghostmem.edges import Edge
    from ghostmem.errors import (
        ConflictError,
        CorruptStoreError,
        EmbeddingError,
        EngineError,
        ForbiddenError,
        GhostError,
        InvalidInputError,
        InvalidTargetError,
        LockedError,
        LostConnectionError,
        MemorySaveArgsError,
        MemorySaveFailError,
        MemorySearchArgsError,
        MemorySearchFailError,
        ModelError,
        NewerStoreError,
        NotADatabaseError,
        NoteConflictError,
        NotFoundError,
        PatchConflictError,
        PatchFormatError,
        ReadOnlyStoreError,
        StoreBusyError,
        StoreFullError,
        VersionConflictError,
    )
    from ghostmem.ghost import Ghost
    from ghostmem.held import Held
    from ghostmem.hit import Hit, Hits, Receipt
    from ghostmem.model import (
        FileRef,
        FileRel,
        Kind,
        Memory,
        Outcome,
        Priority,
        Rel,
        SourceKind,
        SymbolRef,
        Tier,
    )
    from ghostmem.note import Folder
    from ghostmem.notes.roles import (
        MemoryEntry,
        SearchResult,
        all_memory_entries,
        append_memory,
        format_memory_list,
        format_search_results,
        list_memory_files,
        memory_context,
        parse_memory_entries,
        read_memory,
        search_memory,
    )
    from ghostmem.pack import Hop, LeftOut, Pack, Packed, Why
    from ghostmem.report import Change, Report, Run
    from ghostmem.rule import Rule
    from ghostmem.settings import Settings
    from ghostmem.text.render import render
    from ghostmem.verbs.capture import Captured, CaptureReport
    from ghostmem.verbs.ingest_transcript import TranscriptReport
    from ghostmem.verbs.migrate import Migration, migrate
    from ghostmem.verbs.mine_procedures import Mined, MineReport

_MODULES = {
    "ghost": "Ghost",
    "settings": "Settings",
    "chunk": "Chunk",
    "edges": "Edge",
    "held": "Held",
    "hit": "Hit Hits Receipt",
    "pack": "Hop LeftOut Pack Packed Why",
    "report": "Change Report Run",
    "rule": "Rule",
    "text.render": "render",
    "verbs.capture": "Captured CaptureReport",
    "verbs.ingest_transcript": "TranscriptReport",
    "verbs.migrate": "Migration migrate",
    "verbs.mine_procedures": "MineReport Mined",
    "adapters.memory_tools": "MemorySave MemorySearch",
    "adapters.memory_search_tool": "MemorySearchTool",
    "adapters.tool": "Tool",
    "note": "Folder",
    "notes.roles": (
        "MemoryEntry SearchResult all_memory_entries append_memory format_memory_list format_search_results list_memory_files"
        " memory_context parse_memory_entries read_memory search_memory"
    ),
    "model": "FileRef FileRel Kind Memory Outcome Priority Rel SourceKind SymbolRef Tier",
    "errors": (
        "ConflictError CorruptStoreError EmbeddingError EngineError ForbiddenError GhostError InvalidInputError"
        " InvalidTargetError LockedError LostConnectionError MemorySaveArgsError MemorySaveFailError MemorySearchArgsError"
        " MemorySearchFailError ModelError NewerStoreError NotADatabaseError NoteConflictError NotFoundError PatchConflictError"
        " PatchFormatError ReadOnlyStoreError StoreBusyError StoreFullError VersionConflictError"
    ),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "CaptureReport",
    "Captured",
    "Change",
    "Chunk",
    "ConflictError",
    "CorruptStoreError",
    "Edge",
    "EmbeddingError",
    "EngineError",
    "FileRef",
    "FileRel",
    "Folder",
    "ForbiddenError",
    "Ghost",
    "GhostError",
    "Held",
    "Hit",
    "Hits",
    "Hop",
    "InvalidInputError",
    "InvalidTargetError",
    "Kind",
    "LeftOut",
    "LockedError",
    "LostConnectionError",
    "Memory",
    "MemoryEntry",
    "MemorySave",
    "MemorySaveArgsError",
    "MemorySaveFailError",
    "MemorySearch",
    "MemorySearchArgsError",
    "MemorySearchFailError",
    "MemorySearchTool",
    "Migration",
    "MineReport",
    "Mined",
    "ModelError",
    "NewerStoreError",
    "NotADatabaseError",
    "NotFoundError",
    "NoteConflictError",
    "Outcome",
    "Pack",
    "Packed",
    "PatchConflictError",
    "PatchFormatError",
    "Priority",
    "ReadOnlyStoreError",
    "Receipt",
    "Rel",
    "Report",
    "Rule",
    "Run",
    "SearchResult",
    "Settings",
    "SourceKind",
    "StoreBusyError",
    "StoreFullError",
    "SymbolRef",
    "Tier",
    "Tool",
    "TranscriptReport",
    "VersionConflictError",
    "Why",
    "__version__",
    "all_memory_entries",
    "append_memory",
    "format_memory_list",
    "format_search_results",
    "list_memory_files",
    "memory_context",
    "migrate",
    "parse_memory_entries",
    "read_memory",
    "render",
    "search_memory",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'ghostmem' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"ghostmem.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
