"""Constants of the protocol: versions, error codes, and the name of the server."""

NAME, TITLE = "ghost", "Ghost memory"
VERSIONS = (
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
)  # of the protocol with a handshake
BATCH_VERSION = "2025-03-26"  # the only version whose clients may send several messages in one list
PARSE_ERROR = -32700
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32600, -32601, -32602, -32603


class ProtocolError(Exception):
    """A request that is answered with an error of the protocol: its code, and a sentence."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message
