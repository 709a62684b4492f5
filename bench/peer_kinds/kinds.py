"""The table of peers: packages, driver module, source of vectors, and remarks."""

from dataclasses import dataclass, field
from typing import Any

GIVEN = "vectors given: Ghost's static model, 256-d"
MINILM = "its own: all-MiniLM-L6-v2"


@dataclass(frozen=True)
class Kind:
    """One peer, measured one way."""

    name: str
    driver: str  # the module of this package
    home: str  # the environment it is installed in; kinds may share one
    packages: tuple[str, ...]  # what is installed; "." is this checkout
    embedder: str
    way: str = "library"  # or "mcp"
    client: str = "pip"  # or "npm", or "given" for a binary that is named on the command line
    python: str = ""  # the least version, where the harness's own will not do
    extensions: bool = False  # whether it needs a Python whose sqlite3 loads extensions
    instead: tuple[str, ...] = ()  # installed when the newest cannot be
    model: str = ""  # where under its home folder it looks for a model that must be laid there
    options: dict[str, Any] = field(default_factory=dict)
    better: str = ""  # what it is better at than Ghost, said plainly
    notes: tuple[str, ...] = ()

    @property
    def is_server(self) -> bool:
        """Say whether it is spoken to over MCP."""
        return self.way == "mcp"


LAID = (
    "It downloads all-MiniLM-L6-v2 at the first use; measured with that model, in Ghost's "
    "int8 form, copied into its cache."
)
GHOST = (
    "Returns nothing if nothing seems relevant, which costs hits here; vector stores "
    "always return something.",
    "Bulk is `import_`, which, unlike a put, does not look for statements that a text corrects.",
)
PUTS = (GHOST[0], "Over MCP every memory is one `ghost_put`.")

EXTENSIONS = (
    "Needs a Python whose sqlite3 loads extensions; many builds do not, so one that does was used."
)

KINDS: tuple[Kind, ...] = (
    Kind(
        "ghost, none",
        "ghost_library",
        "ghost",
        (".",),
        "none: words only",
        options={"provider": "none"},
        notes=GHOST,
    ),
    Kind(
        "ghost, static",
        "ghost_library",
        "ghost",
        (".",),
        "its own: static, 256-d",
        options={"provider": "static"},
        notes=GHOST,
    ),
    Kind(
        "ghost, local",
        "ghost_library",
        "ghost",
        (".",),
        MINILM + ", int8",
        options={"provider": "local"},
        notes=GHOST,
    ),
    Kind(
        "ghost mcp, static",
        "ghost_mcp",
        "ghost",
        (".",),
        "its own: static, 256-d",
        "mcp",
        options={"provider": "static"},
        notes=PUTS,
    ),
    Kind(
        "chromadb",
        "chroma",
        "chromadb",
        ("chromadb",),
        GIVEN,
        better="filters on metadata, collections of millions behind a server, images and "
        "other media, clients in many languages.",
        notes=("Its persistent client is documented for one process at a time.",),
    ),
    Kind(
        "txtai",
        "txtai_index",
        "txtai",
        ("txtai",),
        GIVEN,
        better="pipelines around the index: many kinds of models, SQL over results, graphs, "
        "workflows.",
        notes=(
            "An index is in memory until `save()` writes all of it: a durable put is "
            "`upsert` and `save`. Hybrid search is on.",
        ),
    ),
    Kind(
        "langgraph SqliteStore",
        "langgraph_store",
        "langgraph",
        ("langgraph-checkpoint-sqlite", "langgraph"),
        GIVEN,
        extensions=True,
        notes=(EXTENSIONS,),
        better="the store that LangGraph agents already have, together with checkpoints.",
    ),
    Kind(
        "llm",
        "llm_collection",
        "llm",
        ("llm",),
        GIVEN,
        better="one command for hundreds of models, logs of every prompt, a schema small "
        "enough to read with any SQLite tool.",
    ),
    Kind(
        "mem0",
        "mem0_memory",
        "mem0",
        ("mem0ai",),
        GIVEN,
        better="with a language model (infer=True, not measured) it extracts facts from "
        "conversations; many vector stores.",
        notes=(
            "infer=False, no language model. Embedded Qdrant, its default; one process at a time.",
        ),
    ),
    Kind(
        "server-memory",
        "server_memory",
        "server-memory",
        ("@modelcontextprotocol/server-memory",),
        "none: substrings",
        "mcp",
        "npm",
        better="a small code base, a file that a person can edit, nothing to configure.",
        notes=(
            "Searched for the whole question and, if nothing contains it, for its most "
            "specific word: the one with the most digits, else the longest.",
        ),
    ),
    Kind(
        "mcp-memory-service",
        "memory_service",
        "mcp-memory-service",
        ("mcp-memory-service[sqlite]",),
        MINILM,
        "mcp",
        extensions=True,
        model=".cache/mcp_memory/onnx_models/all-MiniLM-L6-v2",
        better="a dashboard, sync to a cloud, quality scores, ingestion of PDFs.",
        notes=(
            LAID,
            "Without the model it uses vectors made of hashes.",
            EXTENSIONS,
            "Its check for near-duplicates is off (each memory has its own conversation "
            "id). Searched in hybrid mode.",
        ),
    ),
    Kind(
        "mempalace",
        "mempalace_mcp",
        "mempalace",
        ("mempalace",),
        MINILM,
        "mcp",
        model=".cache/chroma/onnx_models/all-MiniLM-L6-v2",
        better="extracting memories from whole conversations and projects, a task board, a log "
        "shared by agents.",
        notes=(LAID,),
    ),
    Kind(
        "basic-memory",
        "basic_memory",
        "basic-memory",
        ("basic-memory",),
        "none: full text",
        "mcp",
        python="3.12",
        instead=("basic-memory==0.23.0",),
        better="every memory is a Markdown note that a person can read and write in any editor; "
        "schemas for notes.",
        notes=(
            "Its semantic search needs a downloaded model and is off. Searched for the "
            "whole question, then for its most specific word.",
            "Bulk: files, then its own reindex. `write_note` is acknowledged before the "
            "file is written; the index has it.",
        ),
    ),
    Kind(
        "original ghost",
        "original_ghost",
        "original-ghost",
        (),
        "none: words only",
        "mcp",
        "given",
        better="one static binary that needs no Python.",
        notes=("Over MCP without embeddings; bulk by its own `ghost import`.",),
    ),
)


def named(name: str) -> Kind:
    """Return the peer of this name."""
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise KeyError(name)
