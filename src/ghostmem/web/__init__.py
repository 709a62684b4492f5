"""Ghost over HTTP: a small REST surface, health, metrics, and the way to the MCP server."""
