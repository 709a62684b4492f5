"""The judge: a small model inside the package that reads one text or two.

It says what a new text is to an older one (`verdicts`), which sentences of a message are worth
remembering (`captures`), whether a text gives orders to the agent that reads it (`attack`), and
how well a memory answers a query (`relevance`). It needs no network, gives the same answer every
time, and is loaded when it is first asked. Without it, short lists of phrases decide."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ghostmem.judge.model import Judge
    from ghostmem.settings import Settings

_WITH_JUDGE = ("local", "ollama", "openai")  # providers with which `auto` uses the judge


def uses_judge(settings: "Settings") -> bool:
    """Say whether the settings ask for the judge."""
    if settings.judge == "auto":
        return settings.embed_provider in _WITH_JUDGE
    return settings.judge == "on"


def find_judge(settings: "Settings") -> "Judge | None":
    """Return the judge, or None when the settings do without it.

    Raises:
        EmbeddingError: The settings demand the judge, and it cannot run here.
    """
    from ghostmem.errors import EmbeddingError

    if not uses_judge(settings):
        return None
    try:
        return _load()
    except EmbeddingError:
        if settings.judge == "on":
            raise
        return None


@cache
def _load() -> "Judge":
    from ghostmem.judge.model import Judge

    return Judge()
