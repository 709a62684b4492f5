"""Ghost in the forms that agent frameworks expect, over an open store or a folder of notes.

Frameworks: `langchain` (retriever and tools), `langgraph` (store), `llamaindex` (memory, memory
block and tools), `openai_agents` (session and tools), `anthropic` (the memory tool). Each imports
its library, and `extra` names the extra to install. The tools come from `actions`, conversations
are stored by `thread`, `names` maps foreign names to namespaces and keys, `filters` evaluates
filters. `memory_files` serves Anthropic's memory tool. `tool` has the base class of tools and
MemorySearchTool; `memory_tools` are two function tools.
"""
