"""Ask a language model, only when the user asks for it.

`choose` picks the model of the settings: a command of the user (`command`), or a server over HTTP
(`web`: Anthropic, or an OpenAI-compatible one). Both follow the protocol in `base`.
"""
