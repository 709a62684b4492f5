"""The lifecycle as pure functions: rules as data, what they match, and what they do to a memory."""
