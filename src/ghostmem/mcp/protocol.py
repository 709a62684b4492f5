"""The words of the protocol that every part of the server needs: its errors, and who we are."""

NAME, TITLE = "ghost", "Ghost memory"
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32600, -32601, -32602, -32603


class ProtocolError(Exception):
    """A request that is answered with an error of the protocol: its code, and a sentence."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message
