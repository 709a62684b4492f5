"""patch: change a memory by a unified diff."""

from dataclasses import replace
from shlex import quote

from ghostmem.errors import InvalidInputError
from ghostmem.memory.draft import Draft
from ghostmem.memory.embedding import catch_up
from ghostmem.memory.quarantine import hold, memory_of_held, quarantine_reasons
from ghostmem.memory.redact import redact_content
from ghostmem.memory.write import check_base, dormant_note, write_draft
from ghostmem.model import Memory
from ghostmem.store import Store, find, validate
from ghostmem.text.patch import apply_patch


def patch(
    store: Store,
    ns: str,
    key: str,
    diff: str,
    *,
    base_version: int | None = None,
    dry_run: bool = False,
    unlock: bool = False,
    allow_secrets: bool = False,
) -> Memory:
    """Apply a unified diff to a memory and return the new version.

    Args:
        ns: Namespace.
        key: Key.
        diff: Unified diff whose context must match.
        base_version: Patch only if this is the current version.
        dry_run: Change nothing; return the result of the patch.
        unlock: Also change a memory tagged `locked`.
        allow_secrets: Store keys, tokens and passwords instead of redacting them.

    Raises:
        PatchFormatError: `diff` is not a unified diff.
        PatchConflictError: The context does not match.
        VersionConflictError: `base_version` is not the current version.
    """
    validate.flags(dry_run=dry_run, unlock=unlock, allow_secrets=allow_secrets)
    validate.text(ns, "namespace")
    validate.text(key, "key")
    # Everything runs under the write lock: the diff applies to the version that it replaces.
    with store.engine.write(dry_run=dry_run, within=(ns,)) as tx:
        current = find(tx, ns, key, store.clock())
        changed = apply_patch(current.content, validate.text(diff, "diff"))
        if not validate.text(changed, "content").strip():
            raise InvalidInputError(
                f"the diff would leave {ns}/{key} empty",
                f"use `ghost rm -n {ns} -k {quote(key)}` to delete it",
            )
        validate.content(changed, store.settings.max_content_bytes)
        changed, notes = redact_content(store.settings, changed, allow_secrets)
        draft = Draft(
            ns,
            key,
            changed,
            {},
            base_version=validate.positive(
                current.version if base_version is None else base_version, "base version", least=0
            ),
            unlock=unlock,
        )
        if reasons := quarantine_reasons(store, tx, draft):
            check_base(draft, current)
            return memory_of_held(draft, hold(store, tx, draft, reasons), notes, dry_run=dry_run)
        memory = write_draft(store, tx, draft)
    if not dry_run:
        catch_up(store, ns=ns)
    notes = (*notes, *dormant_note(memory, draft))
    return replace(memory, notes=notes) if notes else memory
