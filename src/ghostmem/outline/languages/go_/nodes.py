"""The declarations and nodes of a project, and the links that need no types."""

from collections.abc import Iterator

from ghostmem.outline.facts import FILE
from ghostmem.outline.graph import LinkColumns, OutlineNode, file_id, project_id
from ghostmem.outline.languages.go_.project import (
    Decl,
    GoFile,
    GoProject,
    Package,
    native,
    receiver_type,
)


def index_symbols(project: GoProject) -> None:
    """Give symbols their ids, and index their declarations."""
    for file in project.files:
        for symbol in file.facts.symbols:
            key = project_id(file.path, f"{file.package.name}.{symbol.full}", symbol.start)
            file.ids.append(key)
            project.names[symbol.name] = project.names.get(symbol.name, 0) + 1
            if symbol.kind != "field":
                _index_symbol(project, Decl(key, file, symbol))


def _index_symbol(project: GoProject, decl: Decl) -> None:
    key, file, symbol = decl
    package = file.package
    if symbol.parent != FILE:
        owner = f"{package.path}.{file.facts.symbols[symbol.parent].name}"
        project.members.setdefault(owner, {}).setdefault(symbol.name, []).append(key)
    elif symbol.kind == "method":
        owner = f"{package.path}.{receiver_type(symbol)}"
        same = project.methods.setdefault(owner, {}).setdefault(symbol.name, [])
        same.append(decl)
        if len(same) > 1:
            project.conditional.add(symbol.name)
    elif symbol.name != "init" or symbol.kind != "function":
        package.scope.setdefault(symbol.name, []).append(decl)
        if symbol.kind in {"type", "interface"}:
            project.types.setdefault(f"{package.path}.{symbol.name}", []).append(decl)


def nodes_of(project: GoProject) -> Iterator[OutlineNode]:
    """Yield the nodes of packages, files and symbols."""
    for package in project.packages.values():
        yield OutlineNode(
            package.id, package.path, "module", file=package.folder, full=package.path
        )
    for file in project.files:
        detail = file.facts.detail or {}
        yield OutlineNode(
            file_id(file.path),
            file.path,
            "file",
            file=file.path,
            line=1,
            end_line=detail.get("lines", 1),
            full=file.path,
            body=detail.get("sha", ""),
        )
        for key, symbol in zip(file.ids, file.facts.symbols, strict=True):
            yield OutlineNode(
                key,
                f"{file.package.name}.{symbol.full}",
                symbol.kind,
                file=file.path,
                line=symbol.line,
                end_line=symbol.end_line,
                signature=symbol.signature,
                full=f"{file.package.path}.{symbol.full}",
                body=symbol.body,
            )


def add_links(project: GoProject, links: LinkColumns, file: GoFile) -> None:
    """Add the links of a file that need no types."""
    home = file_id(file.path)
    links.add(file.package.id, "declares", home, 1, "package")
    for key, symbol in zip(file.ids, file.facts.symbols, strict=True):
        if symbol.parent != FILE:
            links.add(file.ids[symbol.parent], "declares", key, symbol.line, "type")
            continue
        links.add(home, "declares", key, symbol.line, "package")
        if symbol.kind == "method":
            owners = file.package.scope.get(receiver_type(symbol), [])
            for owner in project.candidates(owners, file):
                links.add(owner.id, "declares", key, symbol.line, "receiver")
    _add_imports(project, links, file)


def _add_imports(project: GoProject, links: LinkColumns, file: GoFile) -> None:
    home = file_id(file.path)
    for one in file.facts.imports:
        target = project.by_path.get(one.path)
        if isinstance(target, Package) and target is not file.package:
            links.add(home, "imports", target.id, one.line, "import")
        elif one.path:
            via = "native" if native(one.path) else "external"
            links.add(home, "imports", project.outsider(one.path, "", "module"), one.line, via)
