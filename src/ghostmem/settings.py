"""Settings: defaults < profile < ~/.ghost/config.toml < GHOST_* < arguments.

This is the only reader of the environment. Every setting is a field of `Settings`; its metadata
has the environment variables and the description that the loader, `ghost config` and the docs
use.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import Field, field, fields
from difflib import get_close_matches
from typing import Any

from ghostmem.atomic import replacing
from ghostmem.errors import InvalidInputError
from ghostmem.frozen import frozen
from ghostmem.model import is_namespace

PROVIDERS = ("local", "static", "ollama", "openai", "none")
# A password in a URL reaches to the last `@`: one that holds `@`, `/` or `:` itself is hidden
# whole. Patterns are texts here, because most commands never use them.
_CREDENTIALS = r"(?s)(://[^:/@]*):.*@|(password=)(?:'[^']*'|[^&\s]+)"
_UNESCAPED = r"[@/]|%(?![0-9A-Fa-f]{2})"
SPECIFIED = "specified"  # the profile with the values of the specification
TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def setting(
    default: Any,
    env: str,
    about: str,
    choices: tuple[str, ...] = (),
    low: float = 0,
    high: float = 1e12,
    specified: Any = None,
    is_listed: bool = True,
) -> Any:
    """Declare a setting: default, environment variables (first wins), description, choices, limits.

    Args:
        specified: Its value in the profile `specified`, where that differs.
        is_listed: False for a part of the profile, whose variable is only read.
    """
    metadata = {
        "env": tuple(env.split()),
        "about": about,
        "choices": choices,
        "low": low,
        "high": high,
        "specified": specified,
        "is_listed": is_listed,
    }
    return field(default=default, metadata=metadata)


@frozen
class Settings:
    """All settings of one store, already resolved."""

    def __init__(self, **values: Any) -> None:
        """Take values by name; the others are those of the profile, or else of the class.

        Raises:
            TypeError: There is no setting of that name.
        """
        if unknown := values.keys() - self.__dataclass_fields__.keys():
            raise TypeError(f"there is no setting {min(unknown)!r}")
        self.__dict__.update(
            profile_values(values.get("profile", ""), values.get("embed_provider")) | values
        )

    db: str = setting(
        "~/.ghost/memory.db",
        "GHOST_DB AGENT_MEMORY_DB",
        "the store: a file, :memory:, or a postgresql:// URL",
    )
    ns: str = setting(
        "", "GHOST_NS", "the default namespace; empty: that of the project in the current folder"
    )
    profile: str = setting(
        "",
        "GHOST_PROFILE",
        "values for all settings that are not set: specified has those of the specification, "
        "where the defaults differ",
        (SPECIFIED,),
    )
    default_kind: str = setting(
        "semantic",
        "GHOST_DEFAULT_KIND",
        "the kind of a new memory if the put gives none; tier: episodic in the tiers sensory and "
        "stm, semantic in ltm and dormant",
        ("semantic", "episodic", "procedural", "tier"),
        specified="tier",
        is_listed=False,
    )
    format: str = setting("text", "GHOST_FORMAT", "the output format of commands", ("text", "json"))
    compat: bool = setting(
        False,
        "GHOST_COMPAT",
        "print the output of the original Ghost, for scripts written for it: JSON by "
        "default, lists as arrays, its field names",
    )
    color: str = setting(
        "auto", "GHOST_COLOR", "colour in text output", ("auto", "always", "never")
    )
    synchronous: str = setting(
        "full",
        "GHOST_SYNCHRONOUS",
        "durability of a single put: full survives power loss",
        ("full", "normal"),
    )
    busy_timeout: float = setting(
        30.0, "GHOST_BUSY_TIMEOUT", "seconds to wait for another process's write lock"
    )
    pg_connections: int = setting(
        8,
        "GHOST_PG_CONNECTIONS",
        "connections that one process keeps to PostgreSQL",
        low=1,
        high=1000,
    )
    pg_hnsw: bool = setting(
        False,
        "GHOST_PG_HNSW",
        "search PostgreSQL's vectors with an HNSW index, which `ghost admin index` "
        "creates: fast, not exact",
    )
    max_content_bytes: int = setting(
        10_000_000, "GHOST_MAX_CONTENT_BYTES", "the maximum size of a content in bytes", low=1
    )
    chunk_target: int = setting(
        400, "GHOST_CHUNK_TARGET", "target length of a chunk in characters", low=50
    )
    embed_provider: str = setting(
        "local",
        "GHOST_EMBED_PROVIDER AGENT_MEMORY_EMBED_PROVIDER",
        "where vectors come from",
        PROVIDERS,
    )
    embed_put_chunks: int = setting(
        250,
        "GHOST_EMBED_PUT_CHUNKS",
        "maximum number of chunks that a put embeds (250: about 100 kB); `ghost embed "
        "backfill` embeds the rest",
        low=8,
    )
    embed_model: str = setting(
        "",
        "GHOST_EMBED_MODEL AGENT_MEMORY_EMBED_MODEL",
        "the model for ollama or openai; with local: ghost-minilm-1, all-MiniLM-L6-v2 or "
        "a folder; empty: the store's model, ghost-minilm-1 for a new store",
        specified="all-MiniLM-L6-v2",
    )
    embed_url: str = setting(
        "", "GHOST_EMBED_URL AGENT_MEMORY_EMBED_URL", "the address of the ollama or openai server"
    )
    ollama_host: str = setting("http://localhost:11434", "OLLAMA_HOST", "the address of Ollama")
    openai_api_key: str = setting("", "OPENAI_API_KEY", "API key for openai; never shown")
    judge: str = setting(
        "auto",
        "GHOST_JUDGE",
        "whether the judge, a small model in the package, decides which texts are worth "
        "remembering, correct others, or are attacks; auto: with local, ollama and openai; "
        "off: short lists of phrases decide",
        ("auto", "on", "off"),
        specified="off",
    )
    fusion: str = setting(
        "linear",
        "GHOST_FUSION",
        "how the retrievers of a search are combined: linear, or rrf with k = 60",
        ("linear", "rrf"),
        specified="rrf",
        is_listed=False,
    )
    rerank: str = setting(
        "auto",
        "GHOST_RERANK",
        "whether the judge, if it is used, reads the best candidates of a search and "
        "changes their scores; auto: those up to 500 tokens in total; on: the first 20; off: none",
        ("auto", "on", "off"),
        specified="off",
    )
    rerank_deadline: float = setting(
        0.5,
        "GHOST_RERANK_DEADLINE",
        "maximum seconds for a search that a reranker given by the caller takes, and "
        "maximum seconds of CPU time that the judge takes",
    )
    abstain: bool = setting(
        True,
        "GHOST_ABSTAIN",
        "return nothing for a question that no memory answers",
        specified=False,
        is_listed=False,
    )
    cutoff: str = setting(
        "on",
        "GHOST_CUTOFF",
        "leave weak hits out of the list of a search, and give their number: on, or off",
        ("on", "off"),
        specified="off",
        is_listed=False,
    )
    context_score: str = setting(
        "relevance",
        "GHOST_CONTEXT_SCORE",
        "how context orders memories: relevance first, or the weights by kind and edge "
        "boosts of the specification",
        ("relevance", "specified"),
        specified="specified",
        is_listed=False,
    )
    context_whole: bool = setting(
        True,
        "GHOST_CONTEXT_WHOLE",
        "return all memories of a namespace in a context when they take at most a quarter of "
        "the budget",
        specified=False,
        is_listed=False,
    )
    min_score: float = setting(
        0.0,
        "GHOST_MIN_SCORE",
        "minimum score of a memory in a context, instead of the cut-off; 0: the cut-off",
        high=10,
        is_listed=False,
    )
    min_spread: float = setting(
        0.0,
        "GHOST_MIN_SPREAD",
        "keep only the best memory of a context whose scores are closer together than this; 0: all",
        high=10,
        is_listed=False,
    )
    edge_threshold: float = setting(
        0.0,
        "GHOST_EDGE_THRESHOLD",
        "minimum cosine for a put to link memories; 0: the model's own, 0.80 for MiniLM",
        high=1,
        specified=0.8,
        is_listed=False,
    )
    edge_expansion: bool = setting(
        True, "GHOST_EDGE_EXPANSION", "follow edges in a context", is_listed=False
    )
    edge_damping: float = setting(
        0.3,
        "GHOST_EDGE_DAMPING",
        "share of a score that remains after one edge of weight 1",
        high=1,
        is_listed=False,
    )
    edge_min_weight: float = setting(
        0.1,
        "GHOST_EDGE_MIN_WEIGHT",
        "edges lighter than this are not followed",
        high=1,
        is_listed=False,
    )
    edge_max_per_seed: int = setting(
        5,
        "GHOST_EDGE_MAX_PER_SEED",
        "maximum number of edges followed from one memory",
        is_listed=False,
    )
    edge_max_expansion: int = setting(
        50,
        "GHOST_EDGE_MAX_EXPANSION",
        "maximum number of memories that edges add to a context",
        is_listed=False,
    )
    edge_max_boost: float = setting(
        0.5,
        "GHOST_EDGE_MAX_BOOST",
        "maximum boost of a found memory by edges, as a share of its score",
        high=10,
        is_listed=False,
    )
    edge_hops: int = setting(
        2,
        "GHOST_EDGE_HOPS GHOST_EDGE_MAX_HOPS",
        "maximum number of edges in a path; the specification has 1",
        low=1,
        high=3,
        specified=1,
        is_listed=False,
    )
    relink_max: int = setting(
        8,
        "GHOST_RELINK_MAX",
        "maximum number of links that a relink adds to one memory",
        low=1,
        is_listed=False,
    )
    containment: str = setting(
        "roomy",
        "GHOST_CONTAINMENT",
        "a summary comes before its children and suppresses them: roomy unless everything "
        "fits, or always",
        ("roomy", "always"),
        specified="always",
        is_listed=False,
    )
    ltm_idle_hours: float = setting(
        8760.0,
        "GHOST_LTM_IDLE_HOURS",
        "hours without use after which the rule sys-demote-stale-ltm makes a long-term memory "
        "dormant",
        specified=168.0,
        is_listed=False,
    )
    max_memory_tokens: int = setting(
        400,
        "GHOST_MAX_MEMORY_TOKENS",
        "maximum number of tokens of one memory in a context; -1: no limit",
        low=-1,
    )
    freshness: str = setting(
        "suggest",
        "GHOST_FRESHNESS",
        "effect of a put that corrects an older memory: suggest links them, close "
        "retires the older one, off does nothing",
        ("suggest", "close", "off"),
        specified="off",
    )
    dedup: bool = setting(
        False, "GHOST_DEDUP", "reinforce a memory that says the same instead of storing a duplicate"
    )
    secrets: str = setting(
        "redact",
        "GHOST_SECRETS",
        "treatment of keys, tokens and passwords in stored text: redact, warn, block, or allow",
        ("redact", "warn", "block", "allow"),
    )
    quarantine: bool = setting(
        True,
        "GHOST_QUARANTINE",
        "quarantine text that looks like instructions and does not come from the user",
    )
    mcp_results: str = setting(
        "lean",
        "GHOST_MCP_RESULTS",
        "structured results of MCP tools: lean has what a model can use, within a token budget; "
        "full has every field",
        ("lean", "full"),
    )
    llm_model: str = setting("", "GHOST_LLM_MODEL", "the model that `ghost infer-edges` asks")
    llm_url: str = setting(
        "", "GHOST_LLM_URL", "the address of that model; empty: the provider's own address"
    )
    llm_command: str = setting(
        "",
        "GHOST_LLM_COMMAND",
        "a command that `ghost infer-edges` runs instead: it reads a prompt and prints an answer",
    )
    notes_dir: str = setting(
        "",
        "GHOST_NOTES_DIR",
        "folder of memory_save; empty: the added folder of daily notes, otherwise one "
        "next to the store",
    )
    anthropic_api_key: str = setting("", "ANTHROPIC_API_KEY", "API key for Anthropic; never shown")
    memory_dir: str = setting(
        ".muxcode/memory", "GHOST_MEMORY_DIR BUS_MEMORY_DIR", "the folder of the role files"
    )
    memory_retention_days: int = setting(
        30, "GHOST_MEMORY_RETENTION_DAYS", "days that archives of role files are kept; 0: forever"
    )
    hook_timeout: float = setting(
        2.0,
        "GHOST_HOOK_TIMEOUT",
        "seconds after which a hook that adds memories to a session gives up; one that "
        "captures has five times as long",
        low=0.1,
        high=600,
    )
    hook_budget: int = setting(
        1500,
        "GHOST_HOOK_BUDGET",
        "tokens of memories that a hook adds when a session starts; half of it with a prompt",
        low=50,
    )
    hook_model: bool = setting(
        True,
        "GHOST_HOOK_MODEL",
        "search by meaning in the hook of a prompt, with the local model or a server;"
        " by words if that is not ready within three quarters of hook_timeout",
    )
    hook_helper: bool = setting(
        True,
        "GHOST_HOOK_HELPER",
        "let a background process that ends after ten idle minutes answer hooks, so that they do"
        " not load the model each time",
    )
    hook_reflect: bool = setting(
        True,
        "GHOST_HOOK_REFLECT",
        "run `ghost reflect` in the background after a session, at most once a day for its "
        "namespace",
    )
    hook_llm_timeout: float = setting(
        120.0,
        "GHOST_HOOK_LLM_TIMEOUT",
        "seconds that the command given to `ghost hook --llm` may take",
        low=1,
        high=3600,
    )
    hook_child: bool = setting(
        False,
        "GHOST_HOOK_CHILD",
        "set by Ghost for processes that a hook starts: hooks inside them do nothing",
        is_listed=False,
    )

    @property
    def path(self) -> str:
        """Return the store's location with ~ resolved."""
        return self.db if self.db == ":memory:" or "://" in self.db else os.path.expanduser(self.db)

    @property
    def shown(self) -> str:
        """Return the store's location as it may be printed."""
        return masked(self.path)

    @property
    def has_file(self) -> bool:
        """Tell whether the store is a file on this machine."""
        return self.db != ":memory:" and "://" not in self.db


def masked(location: str) -> str:
    """Return a store's location without a password, for people to read."""
    return re.sub(
        _CREDENTIALS,
        lambda match: f"{match[1]}:***@" if match[1] else f"{match[2]}***",
        location,
    )


def has_password(location: str) -> bool:
    """Tell whether the location of a store contains a password."""
    return re.search(_CREDENTIALS, location) is not None


def check_url(url: str) -> str:
    """Return a database URL, or refuse one whose unescaped password would be read as a host."""
    head, _, query = url.partition("://")[2].partition("?")
    userinfo = head.rpartition("@")[0]
    is_cut = (
        "@" in query and "=" not in query.partition("@")[0]
    )  # the question mark belongs to the password
    if is_cut or (":" in userinfo and re.search(_UNESCAPED, userinfo)):
        raise InvalidInputError(
            f"the password in {masked(url)} has characters that a URL must escape",
            "write @ as %40, / as %2F, ? as %3F and % as %25, or leave it out and keep "
            "it in ~/.pgpass or PGPASSWORD",
        )
    return url


SETTINGS = {part.name: part for part in fields(Settings)}


def listed_settings() -> list[Field[Any]]:
    """Return the settings to show people, without parts of the profile."""
    return [part for part in SETTINGS.values() if part.metadata["is_listed"]]


def profile_values(profile: str, provider: str | None) -> dict[str, Any]:
    """Return the values of a profile; its embedding model is one of the provider local."""
    return {
        name: part.metadata["specified"]
        for name, part in SETTINGS.items()
        if profile == SPECIFIED and part.metadata["specified"] is not None
        if name != "embed_model" or provider in (None, "local")
    }


def config_path(env: Mapping[str, str] | None = None) -> str:
    """Return the path of the configuration file: GHOST_CONFIG or ~/.ghost/config.toml."""
    return os.path.expanduser(
        (os.environ if env is None else env).get("GHOST_CONFIG") or "~/.ghost/config.toml"
    )


def load(env: Mapping[str, str] | None = None, use_file: bool = True, **arguments: Any) -> Settings:
    """Resolve all settings; arguments that are None do not count."""
    return Settings(
        **{name: value for name, (value, _) in resolve(env, use_file, **arguments).items()}
    )


def resolve(
    env: Mapping[str, str] | None = None, use_file: bool = True, **arguments: Any
) -> dict[str, tuple[Any, str]]:
    """Resolve all settings, each with where it came from; without the file when that is broken."""
    env = os.environ if env is None else env
    path = config_path(env)
    config = read_config(path) if use_file else {}
    resolved: dict[str, tuple[Any, str]] = {}
    for name, part in SETTINGS.items():
        values = {variable: env.get(variable) or None for variable in part.metadata["env"]}
        values = {"argument": arguments.get(name), **values, path: config.get(name)}
        source = next((source for source, value in values.items() if value is not None), "default")
        is_default = source == "default"
        resolved[name] = (
            part.default if is_default else parse(name, values[source], source),
            source,
        )
    profile = resolved["profile"][0]
    for name, value in profile_values(profile, resolved["embed_provider"][0]).items():
        if resolved[name][1] == "default":
            resolved[name] = (value, f"profile {profile}")
    if resolved["compat"][0] and resolved["format"][1] == "default":
        resolved["format"] = ("json", resolved["compat"][1])
    if resolved["color"][1] == "default" and (env.get("NO_COLOR") or env.get("TERM") == "dumb"):
        resolved["color"] = ("never", "NO_COLOR" if env.get("NO_COLOR") else "TERM")
    elif resolved["color"][1] == "default" and env.get("FORCE_COLOR"):
        resolved["color"] = ("always", "FORCE_COLOR")
    return resolved


def parse(name: str, value: Any, source: str) -> Any:
    """Check one setting's value and convert it to its type."""
    if name not in SETTINGS:
        close = get_close_matches(name, SETTINGS, n=1)
        raise InvalidInputError(
            f"there is no setting {name!r} ({source})",
            f"did you mean {close[0]}?" if close else f"the settings are: {', '.join(SETTINGS)}",
        )
    part = SETTINGS[name]
    choices, about = part.metadata["choices"], f"{name} is {part.metadata['about']}"
    if isinstance(part.default, bool):
        text = str(value).strip().lower()
        if text not in TRUE | FALSE:
            raise InvalidInputError(
                f"{name}: {value!r} is neither true nor false ({source})", about
            )
        return text in TRUE
    if isinstance(part.default, int | float):
        return _number(part, value, source, about)
    if not isinstance(value, str):
        raise InvalidInputError(f"{name}: {value!r} is not a text ({source})", about)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInputError(
            f"{name}: {value!r} is not valid Unicode ({source})", about
        ) from None
    if name == "db" and not value.strip():
        raise InvalidInputError(
            f"db: the name of the store is empty ({source})",
            "give a file, or leave it out for ~/.ghost/memory.db",
        )
    if name == "ns" and value and not is_namespace(value):
        raise InvalidInputError(
            f"ns: {value!r} is not a namespace ({source})",
            "use letters, digits, '-' and '_' in segments joined by ':', such as agent:coder",
        )
    if choices and value not in choices:
        raise InvalidInputError(
            f"{name}: {value!r} is not one of {', '.join(choices)} ({source})", about
        )
    return value


def _number(part: Field[Any], value: Any, source: str, about: str) -> Any:
    kind: Any = type(part.default)
    low, high = part.metadata["low"], part.metadata["high"]
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= high:
        allowed = f"from {low:g} up" if high == 1e12 else f"from {low:g} to {high:g}"
        raise InvalidInputError(
            f"{part.name}: {value!r} is not a number {allowed} ({source})", about
        )
    return number


def child_env(**variables: str) -> dict[str, str]:
    """Return the environment for a program that we start, with some variables set."""
    return {**os.environ, **variables}


def read_config(path: str, replaced: str = "") -> dict[str, Any]:
    """Read the configuration file, and check all values except one that is `replaced`.

    A missing one is empty, a broken one an error that names the line.
    """
    text = _read_text(path)
    if not text.strip():
        return {}
    import tomllib

    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(
            f"{path} is not valid TOML: {error}", "fix or remove the file"
        ) from None
    for name, value in config.items():
        if name != replaced:
            parse(name, value, path)
    return config


def write_config(path: str, name: str, value: str) -> Any:
    """Set one value in the configuration file, keeping every other line, and return it parsed.

    The caller holds the lock of the file, so that two programs can set values at the same time.
    """
    parsed = parse(name, value, "config set")
    is_store = name == "db" and parsed != ":memory:" and "://" not in parsed
    is_folder = name == "notes_dir" and parsed
    if (is_store or is_folder) and not parsed.startswith("~"):
        parsed = os.path.abspath(parsed)  # the file is read from every folder
    if name == "embed_model" and is_path(parsed) and os.path.isdir(parsed):
        parsed = os.path.abspath(parsed)
    read_config(path, replaced=name)
    import tomlkit

    document = tomlkit.parse(_read_text(path))
    document.pop(name, None)
    document[name] = parsed
    try:
        os.makedirs(os.path.dirname(path) or ".", mode=0o700, exist_ok=True)
        with replacing(path) as stream:
            stream.write(document.as_string().encode())
    except OSError as error:
        raise InvalidInputError(
            f"cannot write {path}: {error.strerror or error}",
            "check the permissions of the file and its folder, and that no other "
            "program has it open",
        ) from None
    return parsed


def _read_text(path: str) -> str:
    """Return the text of the configuration file without a byte-order mark; a missing one: ""."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"cannot read {path}: {error}", "fix or remove the file") from None


def is_path(text: str) -> bool:
    """Say whether a text is written as a path, with a separator."""
    return any(separator in text for separator in (os.sep, os.altsep) if separator)
