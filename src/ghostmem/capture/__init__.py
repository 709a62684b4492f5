"""Find memories in texts, conversations and files.

`transcripts` reads conversations that other programs recorded and yields turns and actions.
`ingest` stores each turn as a memory, or each section of a markdown file; `files` lists the files
of a folder.
`capture` finds statements that are worth remembering in a text, in the user's turns of a
transcript, or in candidates that a model made, and puts each with a verdict; `candidates` asks the
judge, or else the phrases of `sorts`, which statements these are. `mine_procedures` puts sequences
of actions that several sessions share as procedural memories. `distil_notes` adds parts of daily
notes to MEMORY.md. Whatever is found is screened for secrets and instructions first."""
