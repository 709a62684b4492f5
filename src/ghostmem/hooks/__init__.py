"""Answer the hooks of agent hosts: add memories to a session, and capture from it.

`hosts` is the table of hosts and their events. `call` reads a call from standard input, `run`
answers it within the time limit of `watchdog`. At the start and with a prompt, `add` returns
memories that the session (`session`) has not seen, with vectors only if `embedding` is in time.
At other events `capture` reads the new part of the transcript (`tail`), and `ask` lets the user's
own agent command propose memories in the background. Errors (`unanswered`) go to the log (`log`),
never to the host.
"""
