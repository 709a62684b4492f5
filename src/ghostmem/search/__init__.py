"""Search: find memories that answer a question, and explain why.

query         read the question: terms, times, kind of answer, filter
query_words   match its words to the index terms of each namespace
lexical       choose chunks by their words, and weigh the wording of chunks and threads
candidates    collect chunks by text, substring, spelling and vector
features      measure the candidates: wording, meaning, fields
score         score them by weighed features, or by rank fusion
relevance     let the judge read the best ones and add to their scores
cutoff        decide which are answers, which are strong, or that there is none
rank          run these stages for every namespace and merge the results; for a task,
              choose the memories that matter by their chance
corrections   put corrections before the memories that they correct
search        the operation, and hits with their memories, places and receipts;
              rerank, timeline and note_entries build on it
"""
