"""Write Ghost into the configuration files of other programs, and remove it again.

`clients` is the table of programs, their files and the shape of an entry. `entry` builds the
server entry and the hook handlers, `parts` puts them into the text of a file through `formats`
(with `json_text` and `pieces`; every other byte stays), and `install` plans and writes the files.
`state` remembers digests, so that `--remove` can restore the original bytes. `agents_md`
keeps its guidance in a block between marks (`marked`). `listing` and `check`, with `probe`, tell
where Ghost is installed and whether the server starts.
"""
