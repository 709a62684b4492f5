"""Choose the model: a command, Anthropic, or an OpenAI-compatible server, in this order."""

from ghostmem.errors import InvalidInputError
from ghostmem.graph.ask.base import Asker
from ghostmem.settings import Settings


def choose(settings: Settings) -> Asker:
    """Return the model of the settings, or raise an error that says what to set."""
    if settings.llm_command:
        from ghostmem.graph.ask.command import CommandAsker

        return CommandAsker(
            settings.llm_command, secrets=(settings.anthropic_api_key, settings.openai_api_key)
        )
    from ghostmem.graph.ask.web import WebAsker

    style = _style(settings)
    return WebAsker(
        style,
        settings.anthropic_api_key if style == "anthropic" else settings.openai_api_key,
        settings.llm_url,
        settings.llm_model,
    )


def _style(settings: Settings) -> str:
    anthropic, openai = bool(settings.anthropic_api_key), bool(settings.openai_api_key)
    claude = settings.llm_model.startswith("claude")
    # A proxy may offer OpenAI's API for every model; then only that key is set.
    if settings.llm_url:
        return "anthropic" if claude and (anthropic or not openai) else "openai"
    if anthropic and (claude or not openai or not settings.llm_model):
        return "anthropic"
    if openai:
        return "openai"
    raise InvalidInputError(
        "there is no model to ask",
        "set ANTHROPIC_API_KEY, OPENAI_API_KEY, GHOST_LLM_URL for a server of your own, or "
        "GHOST_LLM_COMMAND (--command)",
    )
