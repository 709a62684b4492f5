"""Choose a provider by its name; its model loads when it is created."""

from collections.abc import Callable

from ghostmem.embed.base import Embedder, Function
from ghostmem.errors import EmbeddingError, InvalidInputError
from ghostmem.settings import PROVIDERS, Settings


def choose(settings: Settings, own: Function | None = None, model: str = "") -> Embedder | None:
    """Return the provider of the settings or the caller, or None for the provider `none`.

    `model` is the id of a local model; default: the one that the settings ask for."""
    if own is not None:
        from ghostmem.embed.own import OwnEmbedder

        return OwnEmbedder(own)
    if settings.embed_provider == "local":
        return _local(settings, model)
    return _MAKERS[settings.embed_provider](settings)


def _local(settings: Settings, model: str = "") -> Embedder:
    from ghostmem.embed.models import BY_ID, wanted_model

    found = BY_ID.get(model) or wanted_model(settings)
    if model and found.id != model:
        raise EmbeddingError(
            f"the store has vectors of {model}, whose folder is not set now: set "
            f"GHOST_EMBED_MODEL to it, or change to {found.id} with `ghost embed switch`",
            "`ghost embed switch` makes all vectors again",
        )
    if found.id in BY_ID:
        from ghostmem.embed.local import LocalEmbedder

        return LocalEmbedder(found)
    from ghostmem.embed.folder import FolderEmbedder

    return FolderEmbedder(found)


def _static(_: Settings) -> Embedder:
    from ghostmem.embed.static import StaticEmbedder

    return StaticEmbedder()


def _ollama(settings: Settings) -> Embedder:
    from ghostmem.embed.http import HttpEmbedder

    url = settings.embed_url or settings.ollama_host
    return HttpEmbedder(url, settings.embed_model or "nomic-embed-text", style="ollama")


def _openai(settings: Settings) -> Embedder:
    from ghostmem.embed.http import HttpEmbedder

    if not settings.openai_api_key and not settings.embed_url:
        raise InvalidInputError(
            "provider openai needs a key in OPENAI_API_KEY",
            "set OPENAI_API_KEY, or GHOST_EMBED_URL for a server without one",
        )
    from ghostmem.net import checked_key

    url = settings.embed_url or "https://api.openai.com/v1"
    return HttpEmbedder(
        url,
        settings.embed_model or "text-embedding-3-small",
        checked_key(settings.openai_api_key, "OPENAI_API_KEY"),
    )


_MAKERS: dict[str, Callable[[Settings], Embedder | None]] = {
    "local": _local,
    "static": _static,
    "ollama": _ollama,
    "openai": _openai,
    "none": lambda _: None,
}
assert tuple(_MAKERS) == PROVIDERS
