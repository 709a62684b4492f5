"""Prompts for a person to choose: recall, remember and review, and those of other toolsets."""

from collections.abc import Collection, Mapping
from typing import Any

from ghostmem.mcp.knowledge_tools import MEMORIZE_PROJECT
from ghostmem.mcp.protocol import INVALID_PARAMS, ProtocolError
from ghostmem.mcp.texts import readable

Prompt = Mapping[str, Any]


def _prompt(name: str, title: str, about: str, **arguments: str) -> Prompt:
    listed = [
        {"name": argument, "description": text, "required": False}
        for argument, text in arguments.items()
    ]
    return {"name": name, "title": title, "description": about, "arguments": listed}


# Some clients split what the user typed at blanks and pass on one word of it, so no text depends
# on an argument; what was passed on is quoted at the end for clients that show nothing else.
PROMPTS: Mapping[str, Prompt] = {
    prompt["name"]: prompt
    for prompt in (
        _prompt(
            "recall",
            "Recall",
            "Answer from memory, with sources",
            question="What you want to know",
        ),
        _prompt(
            "remember",
            "Remember",
            "Keep what matters of this conversation",
            what="What to keep; everything that matters when left out",
        ),
        _prompt("review", "Review", "Look through memory and tidy it up"),
        _prompt(
            "memorize-project",
            "Memorize the project",
            "Look through this project and memorize it by topics",
        ),
    )
}
_TOOLSETS = {
    "memorize-project": "knowledge"
}  # whose tools a prompt names, where that is not memory

_TEXTS = {
    "recall": (
        "The question is what the user typed after the command; if that was nothing, ask for it. "
        "Call ghost_context with the question, and ghost_search for whatever it leaves open. "
        "Answer from what comes back and name the key of each memory you rely on. A newer memory "
        "that contradicts an older one takes precedence. If nothing relevant is known, say so."
    ),
    "remember": (
        "Look through this conversation for what will matter later: what the user typed after the "
        "command, or if that was nothing, decisions and reasons, preferences, facts, procedures "
        "and mistakes. Search first, so that nothing is stored twice; update what changed under "
        "its own key. Store each fact with ghost_put as one full sentence under a short key. Link "
        "what contradicts or depends on something with ghost_edge. Then list what you stored."
    ),
    "review": (
        "Review this project's memory: call ghost_reflect with dry_run true and explain what it "
        "would change; call ghost_expand for groups without a summary and propose one for each; "
        "call ghost_edge_candidates and say which pairs cause, prevent or imply each other. "
        "Change nothing before I agree."
    ),
    "memorize-project": MEMORIZE_PROJECT,
}
_PASSED_ON = "\n\nThe client passed on this part of it, perhaps only its first word: {}"


def offered(toolsets: Collection[str]) -> dict[str, Prompt]:
    """Return the prompts whose tools are served."""
    return {
        name: prompt
        for name, prompt in PROMPTS.items()
        if _TOOLSETS.get(name, "memory") in toolsets
    }


def prompt_result(name: str, given: Mapping[str, str], toolsets: Collection[str]) -> dict[str, Any]:
    """Return a prompt, followed by what the client passed on of the user's words."""
    known = offered(toolsets)
    prompt = known.get(name)
    if prompt is None:
        raise ProtocolError(
            INVALID_PARAMS, f"there is no prompt {name[:60]!r}; there are: {', '.join(known)}"
        )
    words = [given.get(argument["name"], "").strip() for argument in prompt["arguments"]]
    text = _TEXTS[name] + "".join(_PASSED_ON.format(part) for part in words if part)
    return {
        "description": prompt["description"],
        "messages": [{"role": "user", "content": {"type": "text", "text": readable(text)}}],
    }
