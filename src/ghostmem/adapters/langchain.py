"""Ghost for LangChain: a retriever over a store, and tools that remember and recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ghostmem.adapters.actions import actions
from ghostmem.adapters.extra import missing

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import StructuredTool
    from pydantic import ConfigDict
except ImportError as error:
    raise missing("langchain", "langchain", error) from error

if TYPE_CHECKING:
    from ghostmem.ghost import Ghost
    from ghostmem.model import Hit

_KEPT = (
    "ns",
    "key",
    "version",
    "kind",
    "tier",
    "tags",
    "source_user",
    "source_kind",
    "created_at",
    "path",
    "note",
)


class GhostRetriever(BaseRetriever):  # type: ignore[misc]
    """A retriever: the memories that answer a question, best first, and none when nothing is about
    it.

    `ns` is a namespace, a prefix such as `agent:*`, or None for all; `k` is how many, and `options`
    are other arguments of `Ghost.search`, such as `{"tags": ["decision"]}`. A document's metadata
    say where it is from, its score, and what speaks against it."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    ghost: Any
    ns: str | None = None
    k: int = 8
    options: dict[str, Any] = {}  # noqa: RUF012 (pydantic copies it)

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Document]:
        return [
            _document(hit)
            for hit in self.ghost.search(query, self.ns, limit=self.k, **self.options)
        ]


def _document(hit: Hit) -> Document:
    told = hit.to_dict()
    about = {name: told[name] for name in _KEPT if told.get(name) not in (None, "", [])}
    return Document(
        id=hit.memory.id, page_content=hit.memory.content, metadata={**about, "score": hit.score}
    )


def ghost_tools(ghost: Ghost, ns: str) -> list[StructuredTool]:
    """Return the tools remember, recall and context for one namespace of an open store."""
    return [
        StructuredTool.from_function(action.run, name=action.name, description=action.about)
        for action in actions(ghost, ns)
    ]
