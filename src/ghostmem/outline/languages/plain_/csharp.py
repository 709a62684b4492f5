"""C#: types come from the enclosing types and namespaces, then from what is used."""

import tree_sitter_c_sharp

from ghostmem.outline.languages.plain_.link import plain_language
from ghostmem.outline.rules import IMPORT, PACKAGE, SCOPE, STAR, Rules, names_in

RULES = Rules(
    name="csharp",
    grammar=tree_sitter_c_sharp.language,
    kinds=("extends", "implements", "declares", "imports"),
    order=(SCOPE, PACKAGE, IMPORT, STAR),
    natives=names_in("csharp.txt"),
    is_native=lambda name: name == "System" or name.startswith("System."),
    nested_packages=True,
    counts_type_arguments=True,
    absolute="global::",
)
LANGUAGE = plain_language(RULES, (".cs",), "tree-sitter-c-sharp")
