"""Context: select the memories to read for a task, within a token budget.

request         the checked arguments
search_results  search results with scores; code_seeds: memories about the code at hand
composite       the score of a candidate
expansion       follow edges to linked memories, summaries and corrections
duplicates      keep one of the memories that say the same
packer          pack the candidates into the budget, whole or as excerpts, with their reasons
context         the operation: pinned, search, links, duplicates, packing, notes
brief           the same packing at the start of a session, without a question
"""
