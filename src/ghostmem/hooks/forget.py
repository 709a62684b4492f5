"""Answer a prompt that asks to forget something: name the memories and the tool that deletes them.

Nothing is deleted here: the agent knows what the user means, and the user can stop it.
"""

from ghostmem.capture.sorts import withdrawn_subject
from ghostmem.search.search import search
from ghostmem.store.store import Store
from ghostmem.text.patterns import compiled
from ghostmem.text.render import quoted
from ghostmem.truth.alike import distinctive

MAX_NAMED = 3
_SENTENCE_END = r"(?<=[.!?。！？])\s+|\n\s*"
# in the marks of the plain style, so that it is not captured from a transcript
_ANSWER = (
    "[Ghost Memory] The user asks to forget something. Stored memories that may be meant: {keys}. "
    "Delete the one that is meant with ghost_curate (op delete) or `ghost rm KEY`, and say so; "
    "nothing was deleted yet. [End Ghost Memory]\n"
)


def forget_answer(store: Store, prompt: str, ns: str) -> str:
    """Return a line about the memories that a prompt asks to forget, or an empty text.

    They share a word with the request: similar memories are not what the user wants to lose."""
    for sentence in compiled(_SENTENCE_END).split(prompt):
        subject = withdrawn_subject(sentence)
        if terms := set(distinctive(subject)):
            keys = [
                quoted(hit.key)
                for hit in search(store, subject, ns, limit=MAX_NAMED)
                if terms.intersection(distinctive(hit.content))
            ]
            return _ANSWER.format(keys=", ".join(keys)) if keys else ""
    return ""
