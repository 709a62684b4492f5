"""Decide which of two contradicting memories comes first."""

from datetime import datetime

from ghostmem.model import Memory


def precedence(memory: Memory) -> tuple[bool, datetime, datetime, str]:
    """Return the sort key of contradicting memories: the user's own words last, then the newest."""
    return (memory.from_user, memory.created_at, memory.recorded_at or memory.created_at, memory.id)


def prevails(memory: Memory, other: Memory) -> bool:
    """Say whether a memory comes before another that contradicts it."""
    return precedence(memory) > precedence(other)
