"""The commands, grouped by noun; `MODULES` of ghostmem.cli.main says where each is."""
