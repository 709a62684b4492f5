"""Settings: defaults < ~/.ghost/config.toml < GHOST_* < arguments. The only reader of the environment.

Every setting is a field of `Settings`; its metadata names the environment variables and says what it does, and the docs,
`ghost config` and the loader all read that one table.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ghostmem.errors import InvalidInputError
from ghostmem.model import is_namespace

PROVIDERS = ("local", "static", "ollama", "openai", "none")
TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


def setting(default: Any, env: str, about: str, choices: tuple[str, ...] = (), low: float = 0) -> Any:
    """Declare a setting: its default, its environment variables (first wins), what it does, what it accepts."""
    return field(default=default, metadata={"env": tuple(env.split()), "about": about, "choices": choices, "low": low})


@dataclass(frozen=True, eq=False, repr=False)
class Settings:
    """All settings of one store, already resolved."""

    db: str = setting("~/.ghost/memory.db", "GHOST_DB AGENT_MEMORY_DB", "the store: a file, or :memory:")
    ns: str = setting("", "GHOST_NS", "the namespace used when a command names none")
    format: str = setting("text", "GHOST_FORMAT", "what commands print", ("text", "json"))
    color: str = setting("auto", "GHOST_COLOR", "colour in text output", ("auto", "always", "never"))
    synchronous: str = setting(
        "full", "GHOST_SYNCHRONOUS", "when a single put is on disk: full survives power loss", ("full", "normal")
    )
    busy_timeout: float = setting(30.0, "GHOST_BUSY_TIMEOUT", "seconds to wait for another process's write lock")
    max_content_bytes: int = setting(10_000_000, "GHOST_MAX_CONTENT_BYTES", "the largest content one memory may have", low=1)
    chunk_target: int = setting(400, "GHOST_CHUNK_TARGET", "characters a chunk aims at", low=50)
    embed_provider: str = setting(
        "local", "GHOST_EMBED_PROVIDER AGENT_MEMORY_EMBED_PROVIDER", "where vectors come from", PROVIDERS
    )
    embed_model: str = setting("", "GHOST_EMBED_MODEL AGENT_MEMORY_EMBED_MODEL", "the model that ollama or openai is asked for")
    embed_url: str = setting("", "GHOST_EMBED_URL AGENT_MEMORY_EMBED_URL", "the address of the ollama or openai server")
    ollama_host: str = setting("http://localhost:11434", "OLLAMA_HOST", "where Ollama listens")
    openai_api_key: str = setting("", "OPENAI_API_KEY", "the key that openai is sent; never shown")
    fusion: str = setting(
        "linear", "GHOST_FUSION", "how the legs of a search are joined: linear, or rrf with k = 60", ("linear", "rrf")
    )
    rerank_deadline: float = setting(0.5, "GHOST_RERANK_DEADLINE", "seconds that a reranker given by the caller may take")
    abstain: bool = setting(True, "GHOST_ABSTAIN", "answer a question about what is not there with nothing")

    @property
    def path(self) -> str:
        """Return the store's location with ~ resolved."""
        return self.db if self.db == ":memory:" or "://" in self.db else os.path.expanduser(self.db)


def table() -> list[tuple[str, Any, tuple[str, ...], str, tuple[str, ...]]]:
    """List every setting as (name, default, environment variables, what it does, choices)."""
    return [
        (part.name, part.default, part.metadata["env"], part.metadata["about"], part.metadata["choices"])
        for part in fields(Settings)
    ]


def config_path(env: Mapping[str, str] | None = None) -> str:
    """Return the path of the configuration file: GHOST_CONFIG or ~/.ghost/config.toml."""
    named = (os.environ if env is None else env).get("GHOST_CONFIG")
    return os.path.expanduser(named or "~/.ghost/config.toml")


def load(env: Mapping[str, str] | None = None, use_file: bool = True, **given: Any) -> Settings:
    """Resolve all settings; arguments that are None do not count."""
    return Settings(**{name: value for name, (value, _) in resolve(env, use_file, **given).items()})


def resolve(env: Mapping[str, str] | None = None, use_file: bool = True, **given: Any) -> dict[str, tuple[Any, str]]:
    """Resolve all settings, each with where it came from; without the file when that is broken."""
    env = os.environ if env is None else env
    path = config_path(env)
    config = read_config(path) if use_file else {}
    found: dict[str, tuple[Any, str]] = {}
    for name, default, variables, _, _ in table():
        variable = next((v for v in variables if env.get(v)), None)
        if given.get(name) is not None:
            found[name] = (parse(name, given[name], "argument"), "argument")
        elif variable is not None:
            found[name] = (parse(name, env[variable], variable), variable)
        elif name in config:
            found[name] = (parse(name, config[name], path), path)
        else:
            found[name] = (default, "default")
    if found["color"][1] == "default" and (env.get("NO_COLOR") or env.get("TERM") == "dumb"):
        found["color"] = ("never", "NO_COLOR" if env.get("NO_COLOR") else "TERM")
    elif found["color"][1] == "default" and env.get("FORCE_COLOR"):
        found["color"] = ("always", "FORCE_COLOR")
    return found


def parse(name: str, value: Any, where: str) -> Any:
    """Check one setting's value and convert it to its type."""
    part = next((p for p in fields(Settings) if p.name == name), None)
    if part is None:
        known = ", ".join(p.name for p in fields(Settings))
        raise InvalidInputError(f"there is no setting {name!r} ({where})", f"the settings are: {known}")
    choices = part.metadata["choices"]
    about = f"{name} is {part.metadata['about']}"
    if isinstance(part.default, bool):
        text = str(value).strip().lower()
        if text not in TRUE | FALSE:
            raise InvalidInputError(f"{name}: {value!r} is neither true nor false ({where})", about)
        return text in TRUE
    if isinstance(part.default, int | float):
        return _number(name, value, where, type(part.default), part.metadata["low"], about)
    if not isinstance(value, str):
        raise InvalidInputError(f"{name}: {value!r} is not a text ({where})", about)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise InvalidInputError(f"{name}: {value!r} is not valid Unicode ({where})", about) from None
    if name == "db" and not value.strip():
        raise InvalidInputError(
            f"db: the name of the store is empty ({where})", "name a file, or leave it out for ~/.ghost/memory.db"
        )
    if name == "ns" and value and not is_namespace(value):
        hint = "use letters, digits, '-' and '_' in segments joined by ':', such as agent:coder"
        raise InvalidInputError(f"ns: {value!r} is not a namespace ({where})", hint)
    if choices and value not in choices:
        raise InvalidInputError(f"{name}: {value!r} is not one of {', '.join(choices)} ({where})", about)
    return value


def _number(name: str, value: Any, where: str, kind: type[int] | type[float], low: float, about: str) -> Any:
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= 1e12:
        raise InvalidInputError(f"{name}: {value!r} is not a number from {low:g} up ({where})", about)
    return number


def read_config(path: str) -> dict[str, Any]:
    """Read the configuration file; a missing one is empty, a broken one an error that names the line."""
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"cannot read {path}: {error}", "fix or remove the file") from None
    if not text.strip():
        return {}
    import tomllib

    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError(f"{path} is not valid TOML: {error}", "fix or remove the file") from None
    for name, value in config.items():
        parse(name, value, path)
    return config


def write_config(path: str, name: str, value: str) -> Any:
    """Set one value in the configuration file, keeping every other line, and return it parsed."""
    parsed = parse(name, value, "config set")
    if name == "db" and parsed != ":memory:" and "://" not in parsed and not parsed.startswith("~"):
        parsed = os.path.abspath(parsed)  # the file is read from every folder
    read_config(path)
    shown = f'"{_escape(parsed)}"' if isinstance(parsed, str) else str(parsed).lower()
    from pathlib import Path

    file = Path(path)
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    kept = [line for line in lines if line.split("=")[0].strip() != name]
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    fresh.write_text("\n".join([*kept, f"{name} = {shown}", ""]), encoding="utf-8")
    fresh.chmod(0o600)
    fresh.replace(file)
    return parsed


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
