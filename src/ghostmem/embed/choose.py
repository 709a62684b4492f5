"""Choose a provider by its name; its model loads when it is created."""

from ghostmem.embed.base import Embedder, Function
from ghostmem.embed.models import BY_ID, wanted_model
from ghostmem.errors import EmbeddingError, InvalidInputError
from ghostmem.net import checked_key
from ghostmem.settings import Settings


def choose(settings: Settings, own: Function | None = None, model: str = "") -> Embedder | None:
    """Return the provider of the settings or the caller, or None for the provider `none`.

    `model` is the id of a local model; default: the one that the settings ask for."""
    if own is not None:
        from ghostmem.embed.own import OwnEmbedder

        return OwnEmbedder(own)
    match settings.embed_provider:
        case "none":
            return None
        case "local":
            return _local(settings, model)
        case "static":
            from ghostmem.embed.static import StaticEmbedder

            return StaticEmbedder()
    return _http(settings)


def _local(settings: Settings, model: str) -> Embedder:
    chosen = BY_ID.get(model) or wanted_model(settings)
    if model and chosen.id != model:
        raise EmbeddingError(
            f"the store has vectors of {model}, whose folder is not set now: set "
            f"GHOST_EMBED_MODEL to it, or change to {chosen.id} with `ghost embed switch`",
            "`ghost embed switch` makes all vectors again",
        )
    if chosen.id in BY_ID:
        from ghostmem.embed.local import LocalEmbedder

        return LocalEmbedder(chosen)
    from ghostmem.embed.folder import FolderEmbedder

    return FolderEmbedder(chosen)


def _http(settings: Settings) -> Embedder:
    from ghostmem.embed.http import HttpEmbedder

    if settings.embed_provider == "ollama":
        return HttpEmbedder(
            settings.embed_url or settings.ollama_host,
            settings.embed_model or "nomic-embed-text",
            style="ollama",
        )
    if not settings.openai_api_key and not settings.embed_url:
        raise InvalidInputError(
            "provider openai needs a key in OPENAI_API_KEY",
            "set OPENAI_API_KEY, or GHOST_EMBED_URL for a server without one",
        )
    return HttpEmbedder(
        settings.embed_url or "https://api.openai.com/v1",
        settings.embed_model or "text-embedding-3-small",
        checked_key(settings.openai_api_key, "OPENAI_API_KEY"),
    )
