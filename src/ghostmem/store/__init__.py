"""The store: transactions over tables, on SQLite or PostgreSQL.

validate, fields, narrowing  check the input of callers
opening                      opens the engine for a location; the only module that names engines
protocol                     the contract: Engine and Transaction; administration: shared stores
transaction                  opens the table classes of a transaction when they are used
tables, records, columns     columns declared once; rows as values
database, filters            the interface of table classes to an engine; filters as SQL
memories, listing, graph, journal, notes, runs, ...  one class per table, for both engines
sqlite/, postgres/           connections, full text, vectors, checks, scrubbing
indexing, vectoriser         content to index rows and vectors; nearest, sketch: vector search
lookup, retry, work_queue    helpers of operations"""
