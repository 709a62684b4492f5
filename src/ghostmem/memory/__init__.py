"""Operations on memories: one module per operation, and one per stage of the write path.

A put passes a `Draft` (`draft`) through these stages:
    put          validate the arguments, and run the stages in this order
    redact       redact secrets in content, key and fields
    quarantine   hold content from elsewhere that reads like instructions
    draft        chunk, embed, and find the nearest chunks, before the write lock
    verdict      compare with similar memories: new, restatement, update or conflict
    write        one transaction: row, index, links, and the corrections of the verdict
    embedding    catch up on vectors that were not ready

`put_many` takes many drafts through them in few transactions. `patch`, `consolidate`, `forget` and
the `restore` of `remove` use the same stages. `get`, `list` and `details` read memories; `curate`,
`tags` and `remove` change or remove them in place."""
