"""Other spellings of a person's name: declared by the user, and resolved when memories are read.

Memories keep the `source_user` they were stored with. An alias belongs to one namespace and leads
directly to a canonical name, never to another alias. Names are compared without case."""

from dataclasses import replace

from ghostmem.errors import ConflictError, InvalidInputError, NotFoundError
from ghostmem.model import NsFilter, SourceAlias
from ghostmem.store import Store, Transaction, validate


def set_source_alias(store: Store, ns: str, alias: str, canonical: str) -> SourceAlias:
    """Declare that two names are the same person; `for_user` then finds both.

    Memories keep the name they were stored with.

    Args:
        ns: Namespace of the memories.
        alias: Another spelling of the name; spellings are compared without case.
        canonical: The canonical name.

    Raises:
        ConflictError: The canonical name is itself an alias, or the alias has aliases.
    """
    new = checked_alias(SourceAlias(ns, alias, canonical, store.clock()))
    with store.engine.write(within=(ns,)) as tx:
        write_alias(tx, new)
    return new


def checked_alias(entry: SourceAlias) -> SourceAlias:
    """Return an alias whose names have no spaces around them; refuse one without names."""
    return replace(
        entry,
        ns=validate.namespace(entry.ns),
        alias=_name(entry.alias, "alias"),
        canonical=_name(entry.canonical, "canonical name"),
    )


def write_alias(tx: Transaction, new: SourceAlias) -> None:
    """Write an alias; refuse one that leads to another alias, or from a canonical name."""
    if _same(new.alias, new.canonical):
        raise InvalidInputError(
            f"{new.alias!r} and {new.canonical!r} are the same name",
            "names are compared without case: declare another spelling",
        )
    known = tx.source_aliases.all(NsFilter(new.ns))
    for other in known:
        if _same(other.alias, new.canonical):
            raise ConflictError(
                f"{new.canonical!r} is itself an alias of {other.canonical!r}",
                f"use {other.canonical!r} as the canonical name",
            )
        if _same(other.canonical, new.alias):
            raise ConflictError(
                f"{new.alias!r} is the canonical name of {other.alias!r}",
                f"remove that alias first: ghost source rm -n {new.ns} {other.alias!r}",
            )
    for other in known:
        if _same(other.alias, new.alias):
            tx.source_aliases.drop(other)
    tx.source_aliases.put(new)


def source_aliases(store: Store, ns: str | None = None) -> list[SourceAlias]:
    """Return the declared spellings of people's names, with the canonical name of each.

    Args:
        ns: Namespace, a prefix such as "agent:*", or None for all.
    """
    with store.engine.read() as tx:
        return tx.source_aliases.all(validate.ns_filter(ns))


def rm_source_alias(store: Store, ns: str, alias: str) -> SourceAlias:
    """Remove a declared spelling.

    Args:
        ns: Namespace of the alias.
        alias: Spelling to remove.

    Raises:
        NotFoundError: There is no such alias.
    """
    validate.namespace(ns)
    name = _name(alias, "alias")
    with store.engine.write(within=(ns,)) as tx:
        for known in tx.source_aliases.all(NsFilter(ns)):
            if _same(known.alias, name):
                tx.source_aliases.drop(known)
                return known
    raise NotFoundError(
        f"there is no alias {name!r} in {ns}", f"`ghost source list -n {ns}` shows them"
    )


class Person:
    """One person under all the spellings of some namespaces."""

    def __init__(self, tx: Transaction, name: str, namespaces: NsFilter) -> None:
        self._name = name.casefold()
        self._canonical: dict[tuple[str, str], str] = {
            (alias.ns, alias.alias.casefold()): alias.canonical.casefold()
            for alias in tx.source_aliases.all(namespaces)
        }

    def is_named(self, ns: str, spelling: str | None) -> bool:
        """Say whether a spelling in a namespace names this person; an unknown source does not."""
        return spelling is not None and (
            self._resolve(ns, spelling.casefold()) == self._resolve(ns, self._name)
        )

    def _resolve(self, ns: str, name: str) -> str:
        return self._canonical.get((ns, name), name)


def _same(first: str, second: str) -> bool:
    return first.casefold() == second.casefold()


def _name(value: str, what: str) -> str:
    if (name := validate.label(validate.text(value, what).strip(), what)) is None:
        raise InvalidInputError(f"an empty {what} was given", "give the name of a person")
    return name
