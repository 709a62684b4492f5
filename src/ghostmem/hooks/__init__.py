"""Answer the hooks of agent hosts: add memories to a session, and capture from it.

`hosts` is the table of hosts and their events. `run` reads a call (`call`) from standard input and
answers it within the time limit of `watchdog`. At the start and with a prompt, `add` returns
memories that the session (`session`) has not seen, with vectors only if `embedding` is in time.
A `helper` with the model in memory (`helper_process`) answers instead, once it has started.
At other events an entry is written to the `queue`, and a process of its own (`later`) runs
`worker`: `capture` reads the new part of the transcript (`tail`), and once a day the lifecycle
runs. `ask` lets the user's own agent command
propose memories in the background. Errors go to the log (`log`), never to the host.
"""
