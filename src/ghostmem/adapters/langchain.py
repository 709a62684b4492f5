"""Ghost for LangChain: a retriever over a store, and the tools remember, recall, context."""

from typing import Any

from ghostmem.adapters.actions import actions
from ghostmem.adapters.extra import missing
from ghostmem.ghost import Ghost
from ghostmem.model import Hit

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import StructuredTool
    from pydantic import ConfigDict, ValidationError
    from pydantic.v1 import ValidationError as ValidationErrorV1
except ImportError as error:
    raise missing("langchain", "langchain", error) from error


_METADATA = tuple(
    "ns key version kind tier tags source_user source_kind created_at path note".split()
)


class GhostRetriever(BaseRetriever):  # type: ignore[misc]
    """A retriever of the memories that answer a question, best first; none if nothing is relevant.

    `ns` is a namespace, a prefix such as `agent:*`, or None for all. `k` is the maximum number of
    documents, and `options` are other arguments of `Ghost.search`, such as
    `{"tags": ["decision"]}`. The metadata of a document has its origin, its score and doubts.
    """

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
    fields = hit.to_dict()
    return Document(
        id=hit.memory.id,
        page_content=hit.memory.content,
        metadata={
            **{name: fields[name] for name in _METADATA if fields.get(name) not in (None, "", [])},
            "score": hit.score,
        },
    )


def ghost_tools(ghost: Ghost, ns: str) -> list[StructuredTool]:
    """Return the tools remember, recall and context for one namespace of an open store."""
    return [
        StructuredTool.from_function(
            action.run,
            name=action.name,
            description=action.about,
            handle_validation_error=_invalid_arguments,
        )
        for action in actions(ghost, ns)
    ]


def _invalid_arguments(error: ValidationError | ValidationErrorV1) -> str:
    """Return the message for a model that sent arguments of a wrong type."""
    problems = (
        f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
    )
    return f"Error: invalid arguments ({'; '.join(problems)}); send them as the schema says"
