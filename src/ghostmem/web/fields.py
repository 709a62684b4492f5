"""What requests may name, as JSON Schema: each field once, whatever routes take it."""

from collections.abc import Mapping
from typing import Any

from ghostmem.memory.curate import OPS
from ghostmem.model import FileRel, Kind, Priority, Rel, SourceKind, Tier
from ghostmem.store.validate import MAX_KEY, MAX_TAG

Fields = Mapping[str, Mapping[str, Any]]


def text(about: str, most: int = MAX_KEY, least: int = 0) -> dict[str, Any]:
    """Describe a text."""
    return {"type": "string", "description": about, "maxLength": most} | (
        {"minLength": least} if least else {}
    )


def one_of(about: str, values: Any) -> dict[str, Any]:
    """Describe a text of a closed set."""
    return {"type": "string", "description": about, "enum": [str(value) for value in values]}


def whole(about: str, least: int = 1, most: int = 1_000_000_000) -> dict[str, Any]:
    """Describe a whole number."""
    return {"type": "integer", "description": about, "minimum": least, "maximum": most}


def number(about: str, least: float = 0.0, most: float = 1.0) -> dict[str, Any]:
    """Describe a number."""
    return {"type": "number", "description": about, "minimum": least, "maximum": most}


def flag(about: str) -> dict[str, Any]:
    """Describe a choice of true and false."""
    return {"type": "boolean", "description": about}


def texts(about: str, most: int = 1000, length: int = MAX_KEY) -> dict[str, Any]:
    """Describe a list of texts."""
    return {
        "type": "array",
        "description": about,
        "maxItems": most,
        "items": {"type": "string", "maxLength": length},
    }


CONTENT = {"type": "string", "description": "The text.", "minLength": 1}
QUERY = text("The question, in words.", 100_000)
TIME = text("A date or time, such as 2026-03-14 or 2026-03-14T09:30:00Z.", 64)
META = {"type": "object", "description": "Whatever the caller wants to keep with it."}
UNLOCK = flag("Also when the memory is tagged `locked`.")
DRY_RUN = flag("Say what would happen, and change nothing.")
LIMIT = whole("At most so many.", 1, 1000)

NS: Fields = {"ns": text("A namespace.", 128)}
NS_FILTER: Fields = {
    "ns": text(
        "A namespace, a prefix such as agent:*, or nothing for all that the token may read.", 129
    )
}
KEYED: Fields = {**NS, "key": text("The key; as one percent-encoded segment in a path.")}
REL: Fields = {"rel": one_of("How they relate.", Rel)}
ENDS: Fields = {
    **NS,
    "from_key": text("The key of the first."),
    "to_key": text("The key of the second."),
    **REL,
}

FILES: Fields = {
    "files": {
        "type": "array",
        "description": "The files that the memory is about.",
        "maxItems": 1000,
        "items": {
            "type": "object",
            "properties": {
                "path": text("Its path.", 4096, 1),
                "rel": one_of("What was done to it.", FileRel),
            },
            "required": ["path"],
            "additionalProperties": False,
        },
    }
}
SOURCE: Fields = {
    "source_user": text("Who said it."),
    "source_kind": one_of("How it came to be known.", SourceKind),
    "source_scope": text("The conversation or place it comes from."),
    "source_client": text("The program that stored it."),
}
STORED: Fields = {
    "kind": one_of("What sort of knowledge it is.", Kind),
    "tier": one_of(
        "Where it stands in its life; identity is a pinned ltm, quarantine is never read.",
        [*Tier, "identity", "quarantine"],
    ),
    "tags": texts("Its tags.", length=MAX_TAG),
    "priority": one_of("How much the writer cares.", Priority),
    "importance": number("From 0 to 1."),
    "pinned": flag("Always in context."),
    "meta": META,
    **FILES,
    **SOURCE,
    "created_at": TIME,
    "valid_from": TIME,
    "valid_to": TIME,
}
NARROW: Fields = {
    "kind": STORED["kind"],
    "tags": texts("All of these tags.", 50, MAX_TAG),
    "priority": STORED["priority"],
    "pinned": flag("Pinned ones only, or none of them."),
    **SOURCE,
    "after": TIME,
    "before": TIME,
    "valid_at": TIME,
    "file": text("About this file.", 4096),
    "file_rel": one_of("What was done to the file.", FileRel),
}
TIERS: Fields = {
    "tiers": {
        "type": "array",
        "description": "Only in these tiers.",
        "maxItems": 4,
        "items": one_of("A tier.", Tier),
    },
    "include_all": flag("In every tier."),
}
LISTED: Fields = {
    "tier": one_of("In this tier.", Tier),
    "key_prefix": text("The key starts so."),
    "deleted": flag("What was removed or replaced instead."),
    "limit": LIMIT,
    "offset": whole("Leave out so many first.", 0),
}
SEARCH: Fields = {
    **TIERS,
    "limit": LIMIT,
    "min_score": number("Leave out what scores less; scores are from 0 to 1.", -1e6, 1e6),
    "weak": flag("List the weaker hits too."),
    "explain": flag("Say why each hit is there, and what narrowly missed."),
    "now": TIME,
    "as_of": TIME,
}
CONTEXT: Fields = {
    **TIERS,
    "budget": whole("Tokens that the answer may take.", 1, 1_000_000),
    "files": texts("Paths at hand.", 1000, 4096),
    "exclude_pinned": flag("Leave pinned memories out."),
    "min_score": number("Leave out what scores less; scores are from 0 to 1.", -1e6, 1e6),
    "min_spread": number("Only the best when scores lie closer together.", 0, 1e6),
    "max_memory_tokens": whole(
        "Tokens that one memory may take; -1: as many as it has.", -1, 1_000_000
    ),
    "expand": flag("Follow edges."),
    "whole": flag("Give the whole namespace when it is small."),
    "for_user": text("Whose words count more."),
    "for_scope": text("What was said there counts more."),
    "now": TIME,
    "as_of": TIME,
}
PUT: Fields = {
    "content": CONTENT,
    **STORED,
    "ttl": text("It expires after this long, such as 7d; `never` takes an expiry away.", 16),
    "base_version": whole("Only if this is the current version; 0: only if the key is new.", 0),
    "unlock": UNLOCK,
    "dedup": flag("Reinforce what says the same under another key instead of storing it twice."),
    "supersedes": text("The key that this replaces: that one's truth ends."),
    "allow_secrets": flag("Store keys, tokens and passwords as they are."),
}
RULE: Fields = {
    "name": text("What it does, in a few words.", least=1),
    "action": text(
        "PROMOTE, DEMOTE, DECAY, DELETE, ARCHIVE, TTL_SET, PIN, LINK, DEDUP or MERGE.", 16
    ),
    "rule_id": text("Put it in the place of this rule.", least=1),
    "ns": text("Only in this namespace.", 128),
    "priority": whole("The highest that matches a memory wins.", -1_000_000, 1_000_000),
    "action_params": {
        "type": "object",
        "description": 'What the action needs, such as {"to_tier": "ltm"}.',
    },
    "expires_at": TIME,
    "tier": one_of("In this tier.", Tier),
    "kind": STORED["kind"],
    "tag": text("With this tag.", MAX_TAG),
    "age_gt_hours": number("Older than.", 0, 1e9),
    "unaccessed_gt_hours": number("Not retrieved for longer than.", 0, 1e9),
    "importance_lt": number("Less important than."),
    "access_lt": whole("Retrieved fewer times than.", 0),
    "access_gt": whole("Retrieved more often than.", 0),
    "utility_lt": number("Helped less often, as a share of its retrievals, than."),
    "similarity_gt": number("Alike beyond this cosine."),
}
OP: Fields = {"op": one_of("What to do.", OPS)}
