"""Functions on text: chunks, terms, sections, patches; pure, standard library only."""
