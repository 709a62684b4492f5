"""Where memories are kept; `base` is the contract, each folder one engine."""
