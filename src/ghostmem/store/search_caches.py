"""The caches of the searches of an open store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ghostmem.lazy import lazy_property

if TYPE_CHECKING:
    from ghostmem.store.namespace_cache import NamespaceCache
    from ghostmem.store.postings import PostingsCache


class SearchCaches:
    """The caches of an open store for its searches, except vectors.

    Most commands do not search, so the caches are made when they are first used."""

    @lazy_property
    def postings(self) -> PostingsCache:
        """Return the postings of the terms that were looked up last."""
        from ghostmem.store.postings import PostingsCache

        return PostingsCache()

    @lazy_property
    def namespaces(self) -> NamespaceCache:
        """Return the chunks and facts of the namespaces that were searched last."""
        from ghostmem.store.namespace_cache import NamespaceCache

        return NamespaceCache()
