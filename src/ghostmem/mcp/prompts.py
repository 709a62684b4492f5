"""Prompts for a person to choose: recall, remember and review, and those of other toolsets."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from ghostmem.mcp.knowledge_tools import MEMORIZE_PROJECT
from ghostmem.mcp.protocol import INVALID_PARAMS, ProtocolError
from ghostmem.mcp.texts import readable

Prompt = Mapping[str, Any]


def _argument(name: str, about: str, required: bool = False) -> dict[str, Any]:
    return {"name": name, "description": about, "required": required}


def _prompt(name: str, title: str, about: str, *arguments: dict[str, Any]) -> Prompt:
    return {"name": name, "title": title, "description": about, "arguments": list(arguments)}


_NS = _argument("ns", "The namespace; this project's when left out")
PROMPTS: Mapping[str, Prompt] = {
    prompt["name"]: prompt
    for prompt in (
        _prompt(
            "recall",
            "Recall",
            "Answer from memory, with sources",
            _argument("question", "What you want to know", True),
            _NS,
        ),
        _prompt(
            "remember",
            "Remember",
            "Keep what matters of this conversation",
            _argument("what", "What to keep; everything that matters when left out"),
            _NS,
        ),
        _prompt("review", "Review", "Look through memory and tidy it up", _NS),
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
        'Call ghost_context with ns "{ns}" and the question below, and ghost_search for '
        "whatever it leaves open. Answer from"
        " what comes back and name the key of each memory you rely on. A newer memory that "
        "contradicts an older one has the last"
        " word. If nothing relevant is known, say so.\n\nQuestion: {question}"
    ),
    "remember": (
        "Look through this conversation for what will matter later: {what}. Search "
        'namespace "{ns}" first, so that nothing is'
        " stored twice; update what changed under its own key. Store each fact with "
        "ghost_put as one full sentence under a short"
        " key. Link what contradicts or depends on something with ghost_edge. Then list "
        "what you stored."
    ),
    "review": (
        'Review namespace "{ns}": call ghost_reflect with dry_run true and explain what it '
        "would change; call ghost_expand for"
        " groups without a summary and propose one for each; call ghost_edge_candidates "
        "and say which pairs cause, prevent or"
        " imply each other. Change nothing before I agree."
    ),
    "memorize-project": MEMORIZE_PROJECT,
}
_DEFAULTS = {"what": "decisions and reasons, preferences, facts, procedures, mistakes"}


def offered(toolsets: Collection[str]) -> dict[str, Prompt]:
    """Return the prompts whose tools are served."""
    return {
        name: prompt
        for name, prompt in PROMPTS.items()
        if _TOOLSETS.get(name, "memory") in toolsets
    }


def prompt_result(
    name: str, given: Mapping[str, str], ns: str, toolsets: Collection[str]
) -> dict[str, Any]:
    """Return a prompt with its arguments filled in."""
    known = offered(toolsets)
    prompt = known.get(name)
    if prompt is None:
        raise ProtocolError(
            INVALID_PARAMS, f"there is no prompt {name[:60]!r}; there are: {', '.join(known)}"
        )
    for argument in prompt["arguments"]:
        if argument["required"] and not given.get(argument["name"]):
            raise ProtocolError(
                INVALID_PARAMS, f"{name} needs {argument['name']}: {argument['description']}"
            )
    filled = {"ns": ns, **_DEFAULTS, **{key: value for key, value in given.items() if value}}
    text = re.sub(r"\{(ns|question|what)\}", lambda found: filled.get(found[1], ""), _TEXTS[name])
    message = {"role": "user", "content": {"type": "text", "text": readable(text)}}
    return {"description": prompt["description"], "messages": [message]}
