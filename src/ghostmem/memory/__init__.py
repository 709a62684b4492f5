"""Operations on memories: one module per operation, and one per stage of the write path.

A put passes a `Draft` (`draft`) through these stages:
    put          validate the arguments, and run the stages in this order
    redact       redact secrets in content, key and fields
    quarantine   hold content from elsewhere that reads like instructions
    prepare      chunk, embed, and find the nearest chunks, before the write lock
    verdict      compare with similar memories: new, restatement, update or conflict
    write        one transaction: row, index, links, and the corrections of the verdict
    embedding    catch up on vectors that were not ready

`put_many` takes many drafts through them in few transactions. `put_unnamed` makes a key from the
text. `patch`, `restore`, `consolidate` and `forget` use the same stages. `get`, `list`, `peek` and
`details` read memories; `curate`, `tags`, `used` and `remove` change or remove them in place."""
