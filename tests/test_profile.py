"""The profile `specified`: the values of the specification, below explicit settings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ghostmem import Ghost
from ghostmem.settings import Settings, listed_settings, load, profile_values, resolve

# the values that the specification names, also where they are Ghost's defaults
SPECIFIED = {
    "default_kind": "tier",
    "embed_provider": "local",
    "embed_model": "all-MiniLM-L6-v2",
    "judge": "off",
    "rerank": "off",
    "fusion": "rrf",
    "abstain": False,
    "cutoff": "off",
    "context_score": "specified",
    "context_whole": False,
    "min_score": 0.0,
    "min_spread": 0.0,
    "max_memory_tokens": 400,
    "chunk_target": 400,
    "edge_threshold": 0.8,
    "edge_expansion": True,
    "edge_damping": 0.3,
    "edge_min_weight": 0.1,
    "edge_max_per_seed": 5,
    "edge_max_expansion": 50,
    "edge_max_boost": 0.5,
    "edge_hops": 1,
    "containment": "always",
    "ltm_idle_hours": 168.0,
    "freshness": "off",
    "dedup": False,
}


def test_the_profile_has_every_specified_value() -> None:
    """All values of the specification hold, and the table has exactly those that are no defaults."""
    found = load({"GHOST_PROFILE": "specified"}, use_file=False)
    assert {name: getattr(found, name) for name in SPECIFIED} == SPECIFIED
    defaults = Settings()
    differing = {name for name, value in SPECIFIED.items() if getattr(defaults, name) != value}
    assert differing == profile_values("specified", "local").keys()
    assert len(listed_settings()) <= 40


def test_explicit_settings_win_over_the_profile(tmp_path: Path) -> None:
    """A variable, the file and an argument come before the profile, and each names its source."""
    config = tmp_path / "config.toml"
    config.write_text('profile = "specified"\njudge = "auto"\n')
    found = resolve({"GHOST_CONFIG": str(config), "GHOST_FUSION": "linear"}, edge_hops=3)
    assert found["fusion"] == ("linear", "GHOST_FUSION")
    assert found["judge"] == ("auto", str(config))
    assert found["edge_hops"] == (3, "argument")
    assert found["cutoff"] == ("off", "profile specified")


@pytest.mark.parametrize("provider", ["ollama", "openai", "static"])
def test_the_embedding_model_of_the_profile_is_local(provider: str) -> None:
    """Another provider does not get the name of a local model."""
    env = {"GHOST_PROFILE": "specified", "GHOST_EMBED_PROVIDER": provider}
    assert load(env, use_file=False).embed_model == ""


def test_a_program_can_open_a_store_with_the_profile(
    open_ghost: Callable[..., Ghost], clock: Any
) -> None:
    """The library takes the profile like any setting, and rules follow it."""
    ghost = open_ghost(":memory:", profile="specified")
    assert ghost.put("agent:a", "event", "We met at noon.").kind == "episodic"
    ghost.put("agent:a", "fact", "The sky is blue.", tier="ltm")
    rules = {rule.id: rule.cond_unaccessed_gt_hours for rule in ghost.lifecycle.rules()}
    assert rules["sys-demote-stale-ltm"] == 168
    clock.forward(hours=169)
    assert ghost.reflect("agent:a").demoted == 1
