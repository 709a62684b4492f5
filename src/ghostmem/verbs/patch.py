"""patch: change a memory by a unified diff."""

from dataclasses import replace

from ghostmem.errors import InvalidInputError
from ghostmem.model import Memory, estimate_tokens
from ghostmem.text.patch import apply_patch
from ghostmem.verbs import accept
from ghostmem.verbs.get import find
from ghostmem.verbs.put import put
from ghostmem.verbs.store import Store


def patch(
    store: Store,
    ns: str,
    key: str,
    diff: str,
    *,
    base_version: int | None = None,
    dry_run: bool = False,
    unlock: bool = False,
) -> Memory:
    """Apply a diff whose context must match, and store the result as the next version; `dry_run` only shows it."""
    accept.text(ns, "namespace")
    accept.text(key, "key")
    with store.engine.read() as tx:
        current = find(tx, ns, key, store.clock())
    changed = apply_patch(current.content, accept.text(diff, "diff"))
    if not changed.strip():
        raise InvalidInputError(f"the diff would leave {ns}/{key} empty", f"use `ghost rm -n {ns} -k {key}` to remove it")
    if dry_run:
        return replace(current, content=changed, est_tokens=estimate_tokens(changed))
    base = current.version if base_version is None else base_version
    return put(store, ns, key, changed, base_version=base, unlock=unlock)
