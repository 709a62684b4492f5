"""Store a conversation: one memory per item, in order, with the item in its meta."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from ghostmem.adapters.names import to_key
from ghostmem.capture.transcripts.base import storable
from ghostmem.errors import InvalidInputError, NotFoundError, VersionConflictError
from ghostmem.ghost import Ghost
from ghostmem.memory.quarantine import Labels, instruction_reasons, is_foreign
from ghostmem.model import THREAD, Kind, Memory, SourceKind
from ghostmem.store.validate import MAX_KEY, shown

TAG = THREAD
_NO_LIMIT = 2**31
_DIGITS = 6  # of the number of an item, at least
_KINDS = {"user": SourceKind.STATED, "assistant": SourceKind.SELF}


class ThreadItem(NamedTuple):
    """An item of a framework with its role and its text; without text it is not searched."""

    item: Mapping[str, Any]
    role: str
    text: str


class StoredThread:
    """The items of one session, each a memory with the key `session/number`.

    Removed items can be restored.
    """

    def __init__(
        self, ghost: Ghost, ns: str, session: str, client: str, *, allow_secrets: bool = False
    ) -> None:
        self.ghost, self.ns, self.session, self.client = ghost, ns, session, client
        self.allow_secrets = allow_secrets
        self.prefix = f"{to_key(session, also='/')}/"

    def items(self, limit: int | None = None) -> list[dict[str, Any]]:
        """Return the items in order, or the last `limit` of them."""
        wanted = self._memories()[-(limit or 0) :] if limit is None or limit > 0 else []
        return [memory.meta[TAG]["item"] for memory in wanted]

    def add(self, turns: Iterable[ThreadItem]) -> None:
        """Append items; a parallel call gets the next numbers."""
        if len(self.prefix) + _DIGITS > MAX_KEY:
            raise InvalidInputError(
                f"the session id is too long: {shown(self.session)}",
                f"use one of at most {MAX_KEY - _DIGITS - 1} characters; some, such as a slash, "
                "count three",
            )
        memories = self._memories()
        number = self._number(memories[-1]) if memories else 0
        for turn in turns:
            number = self._put(turn, number + 1)

    def pop(self) -> dict[str, Any] | None:
        """Remove and return the last item."""
        while memories := self._memories():
            with suppress(NotFoundError):  # removed by a parallel call
                self.ghost.rm(self.ns, memories[-1].key)
                return dict(memories[-1].meta[TAG]["item"])
        return None

    def clear(self) -> None:
        """Remove all items, the last first."""
        while memories := self._memories():
            for memory in reversed(memories):
                with suppress(NotFoundError):  # removed by a parallel call
                    self.ghost.rm(self.ns, memory.key)

    def _memories(self) -> list[Memory]:
        tagged = self.ghost.list(self.ns, key_prefix=self.prefix, tags=[TAG], limit=_NO_LIMIT)
        return sorted((memory for memory in tagged if TAG in memory.meta), key=self._number)

    def _number(self, memory: Memory) -> int:
        return int(memory.key.removeprefix(self.prefix))

    def _put(self, turn: ThreadItem, number: int) -> int:
        """Store an item under the first free number.

        An item that is not the user's and reads like instructions to an agent would be quarantined,
        and the conversation would miss it. Such an item is stored without its text.
        """
        kind = _KINDS.get(turn.role, SourceKind.OBSERVED)
        label = f"({turn.role}: {turn.item.get('type') or 'message'})"
        text = storable(turn.text.replace("\0", " "))  # the item itself keeps a NUL character
        text = text if text.strip() else label
        if is_foreign(kind) and instruction_reasons(
            self.ghost.store.settings, text, Labels(texts=(f"{self.prefix}{number:0{_DIGITS}d}",))
        ):
            text = label
        while True:
            with suppress(VersionConflictError):
                self.ghost.put(
                    self.ns,
                    f"{self.prefix}{number:0{_DIGITS}d}",
                    text,
                    kind=Kind.EPISODIC,
                    tags=[TAG],
                    meta={TAG: {"session": self.session, "item": _storable_item(turn.item)}},
                    source_user=turn.role,
                    source_kind=kind,
                    source_scope=to_key(self.session),
                    source_client=self.client,
                    base_version=0,
                    dedup=False,
                    allow_secrets=self.allow_secrets,
                )
                return number
            number += 1


def _storable_item(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an item without lone surrogates, which a cut text of a model may contain."""
    try:
        text = json.dumps(item, ensure_ascii=False)
    except (TypeError, ValueError):
        return item  # the put names the value that is not JSON
    return item if storable(text) == text else dict(json.loads(storable(text)))
