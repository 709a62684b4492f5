"""Ghost: memory for AI agents that lasts.

    from ghostmem import Ghost

    with Ghost.open() as ghost:
        ghost.put("agent:me", "tea", "The user drinks green tea.")

`__all__` is the contract; every name is loaded when it is first asked for.
"""

from typing import TYPE_CHECKING, Any

from ghostmem._version import __version__

if TYPE_CHECKING:
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
        Tier,
    )
    from ghostmem.pack import Hop, LeftOut, Pack, Packed, Why
    from ghostmem.report import Change, Report, Run
    from ghostmem.rule import Rule
    from ghostmem.settings import Settings
    from ghostmem.text.render import render

_MODULES = {
    "ghost": "Ghost",
    "settings": "Settings",
    "chunk": "Chunk",
    "edges": "Edge",
    "hit": "Hit Hits Receipt",
    "pack": "Hop LeftOut Pack Packed Why",
    "report": "Change Report Run",
    "rule": "Rule",
    "text.render": "render",
    "model": "FileRef FileRel Kind Memory Outcome Priority Rel SourceKind Tier",
    "errors": (
        "ConflictError CorruptStoreError EmbeddingError EngineError ForbiddenError GhostError InvalidInputError"
        " InvalidTargetError LockedError MemorySaveArgsError MemorySaveFailError MemorySearchArgsError MemorySearchFailError"
        " ModelError NewerStoreError NotADatabaseError NoteConflictError NotFoundError PatchConflictError PatchFormatError"
        " ReadOnlyStoreError StoreBusyError StoreFullError VersionConflictError"
    ),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = [
    "Change",
    "Chunk",
    "ConflictError",
    "CorruptStoreError",
    "Edge",
    "EmbeddingError",
    "EngineError",
    "FileRef",
    "FileRel",
    "ForbiddenError",
    "Ghost",
    "GhostError",
    "Hit",
    "Hits",
    "Hop",
    "InvalidInputError",
    "InvalidTargetError",
    "Kind",
    "LeftOut",
    "LockedError",
    "Memory",
    "MemorySaveArgsError",
    "MemorySaveFailError",
    "MemorySearchArgsError",
    "MemorySearchFailError",
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
    "Settings",
    "SourceKind",
    "StoreBusyError",
    "StoreFullError",
    "Tier",
    "VersionConflictError",
    "Why",
    "__version__",
    "render",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'ghostmem' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"ghostmem.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return __all__
