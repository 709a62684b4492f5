"""The error of a hook that does nothing."""


class UnansweredError(Exception):
    """A call that cannot be answered; its message contains no text of a session."""
