"""The command line.

Data flow of a command:
    main.py finds the command in its table, runs it, and reports errors
    commands/ declares the commands, grouped by noun, one module loaded per run
    options.py derives their options from ghostmem.parameters and reads values
    console.py gives a command its settings, its store and its output
    output.py prints text or JSON, terminal.py aligns columns, wraps text and redraws a screen
"""

import gc

# A command lives for milliseconds: collecting its few objects would cost more than it frees. This
# comes before the imports of `main`, which create most of them.
gc.set_threshold(100_000, 50, 50)
