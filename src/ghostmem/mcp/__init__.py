"""The MCP interface: tools, resources and prompts over the operations of Ghost.

Data flow of a call:
    stdio.py reads lines from a client, server.py and bodies.py serve HTTP through the SDK
    protocol.py parses JSON-RPC messages and encodes replies
    requests.py answers each method of the protocol
    tool_server.py checks the caller and the namespace, and calls a tool
    tools.py chooses toolsets; *_tools.py declare their tools; tool.py is one tool
    coerce.py understands arguments whose form is not the schema's
    shown.py chooses what a client is sent of a result, budget.py makes it fit
    result_texts.py renders that as text; texts.py has instructions and errors
    resources.py, prompts.py and app.py (with bundle.py) offer memories, prompts and the viewer
"""
