"""JavaScript and TypeScript.

`extract` walks the tree of a file (`walk`) and returns its facts: declarations (`classes`,
`declarations`), imports and exports (`modules`), calls, reads and writes (`references`).
Expressions become rows (`expressions`), and written types become terms (`terms`).

`link` turns the facts of all files into a graph. It infers the types of expressions (`infer`) from
names (`names`, `paths`), written types (`written`), members (`members`) and the results of calls
(`results`).
"""
