"""Why a hook does nothing."""


class UnansweredError(Exception):
    """A call that cannot be answered.

    Unlike other errors its words hold nothing of what was said, and may stand in the log.
    """
