"""Parameters of the operations: name, type, default, limits and help, each declared once.

`OPERATIONS` maps a method of Ghost to its parameters. The command line, the MCP tools and the REST
interface choose from them and derive their options and schemas; the reference of commands follows
from these. Parameters that only one interface has are declared there.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ghostmem.model import EDGE_WEIGHTS, FileRel, Kind, Priority, SourceKind, Tier

TEXT, INTEGER, NUMBER, FLAG = "string", "integer", "number", "boolean"
TEXTS, OBJECT = "array", "object"
MAX_PATH = 4096
MAX_TIME = 64
MAX_QUERY = 100_000
MAX_RESULTS = 1000
MAX_BUDGET = 1_000_000


class Parameter(NamedTuple):
    """A parameter of an operation, as every interface describes it."""

    name: str
    help: str
    type: str = TEXT
    default: Any = None
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None  # of a text; default: that of a key, 0: unlimited
    brief: str = ""  # description in tool schemas, where every token costs
    short: str = ""  # one-letter option of the command line
    metavar: str | None = None
    variable: str = ""  # environment variable that sets the default

    @property
    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of its values, without descriptions."""
        limits = {
            "enum": list(self.choices) or None,
            "minimum": self.minimum,
            "maximum": self.maximum,
            "items": {"type": TEXT} if self.type == TEXTS else None,
        }
        return {"type": self.type} | {
            name: value for name, value in limits.items() if value is not None
        }


def _text(name: str, text: str, **more: Any) -> Parameter:
    return Parameter(name, text, **more)


def _time(name: str, text: str, **more: Any) -> Parameter:
    return Parameter(name, text, metavar="TIME", max_length=MAX_TIME, **more)


def _choice(name: str, text: str, choices: Any, **more: Any) -> Parameter:
    return Parameter(name, text, choices=tuple(str(choice) for choice in choices), **more)


def _flag(name: str, text: str, **more: Any) -> Parameter:
    return Parameter(name, text, FLAG, **{"default": False, **more})


def _integer(name: str, text: str, minimum: int = 1, **more: Any) -> Parameter:
    return Parameter(name, text, INTEGER, minimum=minimum, **{"maximum": 1_000_000_000, **more})


def _number(
    name: str, text: str, minimum: float | None = 0, maximum: float | None = 1, **more: Any
) -> Parameter:
    return Parameter(name, text, NUMBER, minimum=minimum, maximum=maximum, **more)


def _texts(name: str, text: str, metavar: str, **more: Any) -> Parameter:
    return Parameter(name, text, TEXTS, metavar=metavar, **more)


PROJECT_NS = "this project's"  # where the default namespace is another, other words replace these
NS = _text(
    "ns",
    "The namespace.",
    max_length=128,
    brief=f"namespace; default: {PROJECT_NS}",
    short="-n",
    metavar="NS",
    variable="GHOST_NS",
)
NS_FILTER = NS._replace(
    help="A namespace, a prefix such as agent:*, or '*' for all.",
    max_length=129,
    brief="namespace, prefix agent:*, or * for all",
)
KEY = _text("key", "The key.", short="-k", metavar="KEY", brief="its key")
CONTENT = _text("content", "The text.", max_length=0, brief="the text")
QUERY = _text("query", "The question, in words.", max_length=MAX_QUERY, brief="a question or words")
KIND = _choice(
    "kind",
    "Kind: semantic, episodic or procedural.",
    Kind,
    brief="semantic: fact, episodic: event, procedural: how-to",
)
TAGS = _texts(
    "tags",
    "Tags, separated by commas; repeatable.",
    "TAGS",
    short="-t",
    brief="labels to filter by",
)
PRIORITY = _choice(
    "priority",
    "Priority: low, normal, high or critical.",
    Priority,
    short="-p",
    brief="default normal",
)
IMPORTANCE = _number("importance", "Importance, from 0 to 1.", brief="0 to 1, default 0.5")
TIER = _choice("tier", "Tier: sensory, stm, ltm or dormant.", Tier, brief="only in this tier")
META = Parameter(
    "meta",
    "Your own JSON object, stored with the memory.",
    OBJECT,
    metavar="JSON",
    brief="an object to keep with it",
)
UNLOCK = _flag("unlock", "Also change a memory tagged `locked`.")
DRY_RUN = _flag(
    "dry_run", "Show what would happen, and change nothing.", brief="only show the changes"
)
ALLOW_SECRETS = _flag(
    "allow_secrets", "Store keys, tokens and passwords instead of redacting them."
)
TRUST = _flag("trust", "Skip the quarantine, even for text that looks like instructions.")
LIMIT = _integer(
    "limit",
    "Maximum number of results.",
    default=20,
    maximum=MAX_RESULTS,
    brief="default 20",
    short="-l",
)
VERSION = _integer(
    "version", "Number of an earlier version.", short="-v", brief="number of an earlier version"
)
AS_OF = _time("as_of", "Use the store as it was at this time.", brief="what was known then")
NOW = _time("now", 'Time that words such as "yesterday" count from.')
FILE = _text(
    "file",
    "Path of a file that the memories are about.",
    max_length=MAX_PATH,
    brief="only about this file",
)
FILE_REL = _choice("file_rel", "What was done to the file.", FileRel)
HARD = _flag("hard", "Delete permanently.")
SOURCE = (
    _text("source_user", "Name of the person who said it.", brief="who said it"),
    _choice(
        "source_kind",
        "Source: stated, observed, self, peer or import.",
        SourceKind,
        brief="stated: by the user, observed: seen somewhere, self: by you, peer: by another agent",
    ),
    _text(
        "source_scope",
        "Conversation, session or place it comes from.",
        brief="place it comes from, e.g. project:shop",
    ),
    _text("source_client", "Program that stored it.", brief="program that stored it"),
)
FILTERS = (
    KIND,
    TAGS._replace(help="Only with all of these tags, separated by commas; repeatable."),
    PRIORITY,
    _flag(
        "pinned",
        "Only pinned memories, or only others.",
        default=None,
        brief="only pinned ones, or only others",
    ),
    *SOURCE,
    _time(
        "after",
        "Created at or after this time.",
        brief="created since, e.g. 2026-03-14",
    ),
    _time("before", "Created at or before this time.", brief="created until"),
    _time("valid_at", "True at this time.", brief="what was true then"),
    FILE,
    FILE_REL,
)
TIERS = (
    Parameter("tiers", "Only in these tiers.", TEXTS),
    _flag("include_all", "Include dormant and sensory memories.", brief="dormant and sensory too"),
)
MIN_SCORE = _number(
    "min_score",
    "Minimum score, from 0 to 1; replaces the cut-off.",
    None,
    None,
    brief="leave out lower scores",
)
ENDS = (
    _text("from_key", "Key of the first memory.", metavar="KEY", brief="first key"),
    _text("to_key", "Key of the second memory.", metavar="KEY", brief="second key"),
)
REL = _choice(
    "rel",
    "How the first relates to the second, such as depends_on.",
    EDGE_WEIGHTS,
    short="-r",
    metavar="REL",
    brief="how first relates to second",
)
SEED = _texts(
    "seed",
    "Only pairs with one of these keys, separated by commas.",
    "KEYS",
    brief="only pairs with these keys",
)
PUT = (
    CONTENT,
    KIND,
    TAGS,
    PRIORITY,
    IMPORTANCE,
    _choice(
        "tier",
        "Tier: sensory, stm, ltm or dormant; identity: ltm and pinned; quarantine: never read.",
        (*Tier, "identity", "quarantine"),
    ),
    _flag(
        "pinned",
        "Include it in every context; it never loses importance.",
        default=None,
        brief="always in context",
    ),
    _text(
        "ttl",
        "Expire after 7d, 24h, 30m or 60s; never removes an expiry.",
        max_length=16,
        brief="expire after, e.g. 7d",
    ),
    META,
    _texts(
        "files",
        "Files it is about, separated by commas; repeatable.",
        "PATHS",
        brief="paths of files it is about",
    ),
    _texts("symbols", "Symbols of code it is about, separated by commas; repeatable.", "NAMES"),
    _text("language", "Language of the symbols, if the files do not show it."),
    _text("root", "Project folder of the symbols; default: the working directory.", metavar="DIR"),
    *SOURCE,
    _time("created_at", "When it was said; default: now.", brief="when it was said, if not now"),
    _time("valid_from", "Start of the time in which it is true.", brief="true from then on"),
    _time("valid_to", "End of the time in which it is true.", brief="true until then"),
    _integer(
        "base_version",
        "Store only if this is the current version; 0: only if the key is new.",
        0,
        brief="store only if this is the current version; 0: only if the key is new",
    ),
    UNLOCK,
    _flag(
        "dedup",
        "If another memory says the same, reinforce it instead of storing this one.",
        default=None,
        brief="reinforce a memory that says the same",
        variable="GHOST_DEDUP",
    ),
    _text(
        "supersedes",
        "Key of the memory that this one replaces; that memory is retired.",
        metavar="KEY",
        brief="key this replaces",
    ),
    ALLOW_SECRETS,
)
SEARCH = (
    LIMIT,
    *TIERS,
    MIN_SCORE,
    _flag("weak", "List weaker hits too.", brief="weaker hits too"),
    _flag(
        "explain",
        "Show why each hit was found, and the nearest misses.",
        brief="show why, and near misses",
    ),
    _text("within", "Search only notes, or only memories."),
    NOW,
    AS_OF,
)
CONTEXT = (
    _integer(
        "budget",
        "Maximum number of tokens.",
        default=4000,
        maximum=MAX_BUDGET,
        brief="tokens, default 4000",
        short="-b",
    ),
    *TIERS,
    _texts(
        "files",
        "Open files, separated by commas: memories about them are added.",
        "PATHS",
        brief="paths at hand",
    ),
    _texts(
        "symbols",
        "Symbol of code in use: memories about it and its callers.",
        "NAME",
        brief="names of code in use",
    ),
    _text("root", "Project folder of the code; default: the working directory.", metavar="DIR"),
    _text("language", "Language of the code, if the files do not show it."),
    _flag("exclude_pinned", "Leave pinned memories out.", brief="leave pinned memories out"),
    MIN_SCORE._replace(help="Minimum score of a memory."),
    _number(
        "min_spread",
        "Keep only the best when the scores are closer together than this.",
        None,
        None,
        brief="only the best if scores are closer",
    ),
    _integer(
        "max_memory_tokens",
        "Maximum number of tokens of one memory; -1: no limit.",
        -1,
        maximum=MAX_BUDGET,
        brief="tokens of one memory; -1: no limit",
    ),
    _flag("expand", "Follow edges.", default=None),
    _flag("whole", "Return the whole namespace when it is small.", default=None),
    _text(
        "for_user",
        "Person whose statements count more.",
        metavar="NAME",
        brief="whose words count more",
    ),
    _text(
        "for_scope",
        "Conversation or place whose statements count more.",
        metavar="SCOPE",
        brief="place whose memories count more",
    ),
    NOW,
    AS_OF,
)
RULE = (
    _text("name", "Description of the rule in a few words."),
    _text(
        "action",
        "PROMOTE, DEMOTE, DECAY, DELETE, ARCHIVE, TTL_SET, PIN, LINK, DEDUP or MERGE.",
        max_length=16,
    ),
    _text("rule_id", "Id of the rule to replace, or of the new rule.", metavar="ID"),
    NS._replace(help="Only in this namespace.", default="", variable=""),
    _integer(
        "priority",
        "Of the rules that match a memory, the highest wins.",
        -1_000_000,
        default=50,
        maximum=1_000_000,
    ),
    Parameter(
        "action_params",
        'Parameters of the action, such as {"to_tier": "ltm"}.',
        OBJECT,
        metavar="JSON",
    ),
    _time("expires_at", "When the rule ends."),
    TIER._replace(help="In this tier."),
    KIND._replace(help="Of this kind."),
    _text("tag", "With this tag."),
    _number("age_gt_hours", "Older than this.", 0, 1e9, metavar="HOURS"),
    _number("unaccessed_gt_hours", "Not retrieved for longer than this.", 0, 1e9, metavar="HOURS"),
    _number("importance_lt", "Less important than this."),
    _integer("access_lt", "Retrieved fewer times than this.", 0),
    _integer("access_gt", "Retrieved more often than this.", 0),
    _number("utility_lt", "Share of retrievals that helped is below this."),
    _number("similarity_gt", "More similar to another memory than this cosine."),
)

_LISTS: Mapping[str, tuple[Parameter, ...]] = {
    "put": (
        NS,
        KEY._replace(
            help="The key, short and descriptive.",
            brief="short, e.g. user-timezone",
        ),
        *PUT,
    ),
    "put_many": (
        _flag("judge", "Compare each memory with the stored ones, as a put does.", default=True),
    ),
    "get": (
        NS,
        KEY,
        VERSION,
        AS_OF._replace(help="The version that was current at this time."),
    ),
    "list": (
        NS_FILTER,
        TIER,
        _text("key_prefix", "Only keys that start with this.", brief="only keys with this prefix"),
        *FILTERS,
        _flag(
            "deleted",
            "List deleted and old versions instead of current memories.",
            brief="deleted and old versions instead",
        ),
        LIMIT,
        _integer("offset", "Number of results to skip.", 0, default=0, brief="how many to skip"),
    ),
    "search": (QUERY, NS_FILTER, *FILTERS, *SEARCH),
    "context": (QUERY._replace(brief="the task"), NS_FILTER, *FILTERS, *CONTEXT),
    "patch": (
        NS,
        KEY,
        _text("diff", "A unified diff whose context must match.", max_length=0),
        _integer(
            "base_version",
            "Patch only if this is the current version.",
            brief="only if this is the current version",
        ),
        DRY_RUN,
        UNLOCK,
        ALLOW_SECRETS,
    ),
    "rm": (
        NS,
        KEY,
        HARD._replace(help="Delete the latest version permanently."),
        _flag("all_versions", "With `hard`: delete every version."),
        UNLOCK,
        DRY_RUN,
    ),
    "restore": (NS, KEY, VERSION._replace(help="Version to write as the newest."), UNLOCK),
    "curate": (
        NS,
        KEY,
        _text(
            "op",
            "promote, demote, boost, diminish, archive, delete, pin, unpin, lock or unlock.",
            max_length=0,
            metavar="OP",
        ),
        UNLOCK,
    ),
    "resolve": (
        NS,
        _text("keep", "Key of the memory to keep.", brief="the key to keep"),
        _text(
            "other",
            "Key of the memory to retire; default: all that the first contradicts.",
            brief="the key to retire; default: all it contradicts",
        ),
        _flag("both", "Both are true: they do not contradict each other.", brief="both are true"),
        UNLOCK,
    ),
    "reopen": (NS, KEY, UNLOCK),
    "timeline": (
        NS,
        _text("what", "A key or a question.", max_length=MAX_QUERY, brief="a key or a question"),
    ),
    "used": (NS, _texts("keys", "Keys of the memories that helped.", "KEYS")),
    "edge": (
        NS,
        *ENDS,
        REL,
        _number(
            "weight",
            "Weight, from 0 to 1; the relation has a default.",
            short="-w",
            brief="0 to 1; default by rel",
        ),
    ),
    "edges": (NS, KEY, REL._replace(help="Only this relation.")),
    "edge_candidates": (
        NS,
        _integer(
            "max_pairs",
            "Maximum number of pairs.",
            default=50,
            maximum=1000,
            brief="default 50",
        ),
        SEED,
    ),
    "infer_edges": (
        NS,
        _integer("max_pairs", "Maximum number of pairs to ask about.", default=100),
        SEED,
        _flag("again", "Also ask about pairs that were answered with none before."),
        DRY_RUN,
    ),
    "consolidate": (
        NS,
        _text("summary_key", "Key of the summary.", metavar="KEY", brief="key of the summary"),
        CONTENT,
        _texts("source_keys", "Keys of the summarised memories, separated by commas.", "KEYS"),
        KIND._replace(help="Kind: semantic, episodic or procedural; default: semantic."),
        IMPORTANCE._replace(help="Importance, from 0 to 1; default: 0.7."),
        TAGS,
        ALLOW_SECRETS,
    ),
    "expand": (
        NS,
        KEY,
        _integer(
            "depth",
            "Levels of nested summaries to open.",
            default=1,
            maximum=200,
            brief="levels to open, default 1",
        ),
    ),
    "reflect": (
        NS_FILTER,
        DRY_RUN,
        _flag(
            "relink",
            "Also link memories that share names, topics or meaning.",
            brief="also link memories that share names, topics or meaning",
        ),
    ),
    "undo": (_text("run", "Id of the run, or `last`.", max_length=64), DRY_RUN),
    "runs": (LIMIT,),
    "set_rule": RULE,
    "files": (
        _text("path", "Path of the file.", max_length=MAX_PATH),
        _choice("rel", "modified, created, deleted or read.", FileRel),
        NS_FILTER,
        LIMIT,
    ),
    "stale": (
        NS_FILTER,
        _text("root", "Only memories linked to the code of this project.", metavar="DIR"),
    ),
    "rm_namespace": (
        NS,
        HARD._replace(help="Delete every version permanently."),
        UNLOCK,
        DRY_RUN,
    ),
    "forget": (
        _text("source", "Name of the person who said it.", metavar="USER"),
        SOURCE[1]._replace(metavar="KIND"),
        SOURCE[3]._replace(metavar="CLIENT"),
        SOURCE[2]._replace(metavar="SCOPE"),
        _time("since", "Only statements written at or after this time."),
        _time("until", "Only statements written before this time."),
        NS_FILTER,
        HARD._replace(help="Delete permanently; `ghost restore` cannot bring them back."),
        UNLOCK._replace(help="Also delete locked and pinned memories."),
        DRY_RUN,
    ),
    "gc": (
        _text(
            "stale",
            "Also delete memories not retrieved for this long, such as 30d; they can be restored.",
            metavar="AGE",
        ),
        _text(
            "purge_deleted",
            "Permanently delete memories that were deleted this long ago: 30d, or all.",
            metavar="AGE",
        ),
        _flag("vacuum", "Rewrite the file to reclaim space."),
        DRY_RUN,
    ),
    "ingest": (
        NS,
        KIND._replace(help="Kind: semantic (the default), episodic or procedural."),
        TAGS,
        PRIORITY,
        META,
        _flag("date_ns", "For files named YYYY-MM-DD.md, append the date to the namespace."),
        ALLOW_SECRETS,
        TRUST,
        DRY_RUN,
    ),
    "ingest_transcript": (
        NS,
        TAGS,
        SOURCE[0]._replace(help="Name of the user, in recordings that do not name them."),
        ALLOW_SECRETS,
        DRY_RUN,
    ),
    "capture": (
        NS,
        KIND._replace(help="Kind of every memory; default: chosen by its wording."),
        TAGS,
        _text(
            "speaker",
            "In a text with labels such as `User:`, read only what this speaker says.",
            metavar="NAME",
        ),
        *SOURCE,
        ALLOW_SECRETS,
        DRY_RUN,
    ),
    "outline_symbol": (
        _text("symbol", "Full or partial name.", brief="its name, whole or in part"),
        _text("language", "Language of the code; by default detected from the files."),
        _text("root", "Folder of the project.", default=".", metavar="DIR"),
        _text("file", "Only in this file, by its path from the root.", brief="only in this file"),
        _integer(
            "depth",
            "Levels of relations, 0 to 10.",
            0,
            default=2,
            maximum=10,
            brief="levels of relations to traverse, default 2",
        ),
        Parameter(
            "relations",
            "Only these relations, separated by commas; repeatable.",
            TEXTS,
            brief="only these kinds, such as calls, calledBy, implementedBy",
        ),
        _flag(
            "omit_native",
            "Leave out the standard library and built-ins.",
            brief="leave out the standard library and built-ins",
        ),
        _integer(
            "max_nodes",
            "Maximum number of nodes in one result.",
            default=2000,
            maximum=20_000,
            brief="default 2000",
        ),
        _integer(
            "offset",
            "Number of symbols to skip; the previous result shows it.",
            0,
            default=0,
            brief="symbols to skip; see the previous result",
        ),
        _flag(
            "include_memories",
            "Show memories about each file and symbol.",
            brief="show memories about each file and symbol",
        ),
    ),
}

OPERATIONS: Mapping[str, Mapping[str, Parameter]] = {
    operation: {parameter.name: parameter for parameter in parameters}
    for operation, parameters in _LISTS.items()
}
