"""Ghost: persistent memory for AI agents.

    from ghostmem import Ghost

    with Ghost.open() as ghost:
        ghost.put("agent:me", "tea", "The user drinks green tea.")

`__all__` is the contract; every name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING

from ghostmem._version import __version__
from ghostmem.lazy import lazy_names

if TYPE_CHECKING:
    from ghostmem.adapters.tool import MemorySearchTool, Tool
    from ghostmem.capture.candidates import Captured
    from ghostmem.capture.capture import CaptureReport
    from ghostmem.capture.mine_procedures import Mined, MineReport
    from ghostmem.capture.transcripts.choose import TranscriptReport
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
    from ghostmem.memory.put_many import BatchReport, NewMemory, RefusedItem, StoredItem
    from ghostmem.model import (
        Change,
        Chunk,
        Edge,
        FileRef,
        FileRel,
        Folder,
        Held,
        Hit,
        Hits,
        Hop,
        Kind,
        LeftOut,
        Memory,
        Outcome,
        Pack,
        Packed,
        Priority,
        Receipt,
        Rel,
        Report,
        Rule,
        Run,
        SourceAlias,
        SourceKind,
        SymbolRef,
        Tier,
        Why,
    )
    from ghostmem.notes.memory_tools import MemorySave, MemorySearch
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
    from ghostmem.settings import Settings
    from ghostmem.text.render import render
    from ghostmem.transfer.migrate import Migration, migrate

_MODULES = {
    "ghost": "Ghost",
    "settings": "Settings",
    "text.render": "render",
    "capture.candidates": "Captured",
    "capture.capture": "CaptureReport",
    "capture.transcripts.choose": "TranscriptReport",
    "transfer.migrate": "Migration migrate",
    "memory.put_many": "BatchReport NewMemory RefusedItem StoredItem",
    "capture.mine_procedures": "Mined MineReport",
    "notes.memory_tools": "MemorySave MemorySearch",
    "adapters.tool": "MemorySearchTool Tool",
    "notes.roles": (
        "MemoryEntry SearchResult all_memory_entries append_memory format_memory_list "
        "format_search_results list_memory_files"
        " memory_context parse_memory_entries read_memory search_memory"
    ),
    "model": (
        "Change Chunk Edge FileRef FileRel Folder Held Hit Hits Hop Kind LeftOut Memory "
        "Outcome Pack Packed Priority Receipt Rel"
        " Report Rule Run SourceAlias SourceKind SymbolRef Tier Why"
    ),
    "errors": (
        "ConflictError CorruptStoreError EmbeddingError EngineError ForbiddenError "
        "GhostError InvalidInputError"
        " InvalidTargetError LockedError LostConnectionError MemorySaveArgsError "
        "MemorySaveFailError MemorySearchArgsError"
        " MemorySearchFailError ModelError NewerStoreError NotADatabaseError "
        "NoteConflictError NotFoundError PatchConflictError"
        " PatchFormatError ReadOnlyStoreError StoreBusyError StoreFullError VersionConflictError"
    ),
}
__all__ = [
    "BatchReport",
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
    "NewMemory",
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
    "RefusedItem",
    "Rel",
    "Report",
    "Rule",
    "Run",
    "SearchResult",
    "Settings",
    "SourceAlias",
    "SourceKind",
    "StoreBusyError",
    "StoreFullError",
    "StoredItem",
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


__getattr__ = lazy_names(__name__, _MODULES)


def __dir__() -> list[str]:
    return __all__
