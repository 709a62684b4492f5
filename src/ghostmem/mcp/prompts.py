"""Prompts that a person can call on: recall, remember and review, and those of other toolsets."""

import re
from collections.abc import Collection, Mapping

import mcp_types as types
from mcp.shared.exceptions import MCPError

from ghostmem.mcp.knowledge import MEMORIZE_PROJECT
from ghostmem.mcp.texts import readable


def _argument(name: str, about: str, required: bool = False) -> types.PromptArgument:
    return types.PromptArgument(name=name, description=about, required=required)


_NS = _argument("ns", "The namespace; this project's when left out")
PROMPTS: Mapping[str, types.Prompt] = {
    prompt.name: prompt
    for prompt in (
        types.Prompt(
            name="recall",
            title="Recall",
            description="Answer from memory, with sources",
            arguments=[_argument("question", "What you want to know", required=True), _NS],
        ),
        types.Prompt(
            name="remember",
            title="Remember",
            description="Keep what matters of this conversation",
            arguments=[_argument("what", "What to keep; everything that matters when left out"), _NS],
        ),
        types.Prompt(
            name="review",
            title="Review",
            description="Look through memory and tidy it up",
            arguments=[_NS],
        ),
        types.Prompt(
            name="memorize-project",
            title="Memorize the project",
            description="Look through this project and memorize it by topics",
            arguments=[],
        ),
    )
}
_TOOLSETS = {"memorize-project": "knowledge"}  # whose tools a prompt names, where that is not memory

_TEXTS = {
    "recall": (
        'Call ghost_context with ns "{ns}" and the question below, and ghost_search for whatever it leaves open. Answer'
        " from what comes back"
        " and name the key of each memory you rely on. A newer memory that contradicts an older one has the last word. "
        "If nothing relevant"
        " is known, say so.\n\nQuestion: {question}"
    ),
    "remember": (
        'Look through this conversation for what will matter later: {what}. Search namespace "{ns}" first, so that '
        "nothing is stored twice;"
        " update what changed under its own key. Store each fact with ghost_put as one full sentence under a short key. Link what"
        " contradicts or depends on something with ghost_edge. Then list what you stored."
    ),
    "review": (
        'Review namespace "{ns}": call ghost_reflect with dry_run true and explain what it would change; call '
        "ghost_expand for groups without a"
        " summary and propose one for each; call ghost_edge_candidates and say which pairs cause, prevent or imply each"
        " other. Change"
        " nothing before I agree."
    ),
    "memorize-project": MEMORIZE_PROJECT,
}
_DEFAULTS = {"what": "decisions and reasons, preferences, facts, procedures, mistakes"}


def offered(toolsets: Collection[str]) -> dict[str, types.Prompt]:
    """Return the prompts whose tools are served."""
    return {name: prompt for name, prompt in PROMPTS.items() if _TOOLSETS.get(name, "memory") in toolsets}


def prompt_result(name: str, given: Mapping[str, str], ns: str, toolsets: Collection[str]) -> types.GetPromptResult:
    """Return a prompt with its arguments filled in."""
    known = offered(toolsets)
    prompt = known.get(name)
    if prompt is None:
        raise MCPError(types.INVALID_PARAMS, f"there is no prompt {name[:60]!r}; there are: {', '.join(known)}")
    for argument in prompt.arguments or ():
        if argument.required and not given.get(argument.name):
            raise MCPError(types.INVALID_PARAMS, f"{name} needs {argument.name}: {argument.description}")
    filled = {"ns": ns, **_DEFAULTS, **{key: value for key, value in given.items() if value}}
    text = re.sub(r"\{(ns|question|what)\}", lambda found: filled.get(found[1], ""), _TEXTS[name])
    content = types.TextContent(type="text", text=readable(text))
    return types.GetPromptResult(description=prompt.description, messages=[types.PromptMessage(role="user", content=content)])
