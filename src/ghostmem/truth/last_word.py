"""Which of two memories that contradict each other is to be believed first."""

from datetime import datetime

from ghostmem.model import Memory


def last_word(memory: Memory) -> tuple[bool, datetime, datetime, str]:
    """Return what memories that contradict each other are ordered by: the user's own word, then
    what was said last.
    """
    return (memory.from_user, memory.created_at, memory.recorded_at or memory.created_at, memory.id)


def prevails(one: Memory, other: Memory) -> bool:
    """Say which of two memories that contradict each other has the last word."""
    return last_word(one) > last_word(other)
