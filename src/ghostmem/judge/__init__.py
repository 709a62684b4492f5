"""The judge: a small model inside the package that reads one text or two.

It says what a new text is to an older one (`verdicts`), which sentences of a message are worth
remembering (`captures`), whether a text gives orders to the agent that reads it (`attack`), and
how well a memory answers a query (`relevance`). It needs no network, gives the same answer every
time, and is loaded when it is first asked. Without it, short lists of phrases decide."""

import os
from threading import Lock
from typing import TYPE_CHECKING

from ghostmem.errors import EmbeddingError

if TYPE_CHECKING:
    from ghostmem.judge.model import Judge
    from ghostmem.settings import Settings

_WITH_JUDGE = ("local", "ollama", "openai")  # providers with which `auto` uses the judge


def uses_judge(settings: "Settings") -> bool:
    """Say whether the settings ask for the judge."""
    if settings.judge == "auto":
        return settings.embed_provider in _WITH_JUDGE
    return settings.judge == "on"


def judge_available(settings: "Settings") -> bool:
    """Say whether `find_judge` most likely returns a judge or raises, without loading it."""
    if settings.judge == "on" or not uses_judge(settings):
        return uses_judge(settings)
    from importlib.util import find_spec

    return LOADER.error is None and find_spec("onnxruntime") is not None


def find_judge(settings: "Settings") -> "Judge | None":
    """Return the judge, or None when the settings do without it, or `auto` cannot run it.

    Raises:
        EmbeddingError: The settings demand the judge, and it cannot run here.
    """
    if not uses_judge(settings):
        return None
    try:
        return LOADER.get()
    except EmbeddingError:
        if settings.judge == "on":
            raise
        return None


class JudgeLoader:
    """Load the judge once in a process, also when several threads ask; remember a failure."""

    def __init__(self) -> None:
        self._lock, self._process = Lock(), os.getpid()
        self._judge: Judge | None = None
        self.error: EmbeddingError | None = None  # why the judge cannot run

    def get(self) -> "Judge":
        """Return the judge.

        Raises:
            EmbeddingError: It cannot run; it is not tried again.
        """
        if self._process != os.getpid():  # another thread may have held the lock during a fork
            self._lock, self._process = Lock(), os.getpid()
        with self._lock:
            if self._judge is None and self.error is None:
                self._load()
        if self._judge is None:
            assert self.error is not None
            raise EmbeddingError(self.error.message, self.error.hint)
        return self._judge

    def _load(self) -> None:
        from ghostmem.judge.model import Judge

        try:
            self._judge = Judge()
        except EmbeddingError as error:
            self.error = error


LOADER = JudgeLoader()
