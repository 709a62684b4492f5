"""The nodes of a project and the links that need no types: declares and imports."""

from ghostmem.outline.facts import FILE, Symbol
from ghostmem.outline.graph import LinkColumns, Linked, OutlineNode, file_id, project_id
from ghostmem.outline.languages.go_.world import (
    Decl,
    GoFile,
    GoWorld,
    Package,
    native,
    receiver_type,
)


def add_nodes(world: GoWorld, linked: Linked, links: LinkColumns) -> None:
    """Add packages, files and symbols, and index their declarations."""
    for package in sorted(world.packages.values(), key=lambda one: one.id):
        linked.nodes[package.id] = OutlineNode(
            package.id, package.path, "module", file=package.folder, full=package.path
        )
    for file in world.files:
        links.add(file.package.id, "declares", _add_file(world, linked, file), 1, "package")
    for file in world.files:
        _declare(world, links, file)
        _add_imports(world, links, file)


def _add_file(world: GoWorld, linked: Linked, file: GoFile) -> str:
    detail = file.facts.detail or {}
    key = file_id(file.path)
    linked.nodes[key] = OutlineNode(
        key,
        file.path,
        "file",
        file=file.path,
        line=1,
        end_line=detail.get("lines", 1),
        full=file.path,
        body=detail.get("sha", ""),
    )
    for index, symbol in enumerate(file.facts.symbols):
        _add_symbol(world, linked, file, index, symbol)
    return key


def _add_symbol(world: GoWorld, linked: Linked, file: GoFile, index: int, symbol: Symbol) -> None:
    package = file.package
    name = f"{package.name}.{symbol.full}"
    key = project_id(file.path, name, symbol.start)
    file.ids.append(key)
    linked.nodes[key] = OutlineNode(
        key,
        name,
        symbol.kind,
        file=file.path,
        line=symbol.line,
        end_line=symbol.end_line,
        signature=symbol.signature,
        full=f"{package.path}.{symbol.full}",
        body=symbol.body,
    )
    world.names[symbol.name] = world.names.get(symbol.name, 0) + 1
    if symbol.parent != FILE:
        owner = f"{package.path}.{file.facts.symbols[symbol.parent].name}"
        world.members.setdefault(owner, {}).setdefault(symbol.name, []).append(key)
    elif symbol.kind == "method":
        owner = f"{package.path}.{receiver_type(symbol)}"
        world.methods.setdefault(owner, {}).setdefault(symbol.name, []).append(
            Decl(key, file, symbol, index)
        )
    elif symbol.name != "init" or symbol.kind != "function":
        decl = Decl(key, file, symbol, index)
        package.scope.setdefault(symbol.name, []).append(decl)
        if symbol.kind in {"type", "interface"}:
            world.types.setdefault(f"{package.path}.{symbol.name}", []).append(decl)


def _declare(world: GoWorld, links: LinkColumns, file: GoFile) -> None:
    home = file_id(file.path)
    for key, symbol in zip(file.ids, file.facts.symbols, strict=True):
        if symbol.parent != FILE:
            links.add(file.ids[symbol.parent], "declares", key, symbol.line, "type")
            continue
        links.add(home, "declares", key, symbol.line, "package")
        if symbol.kind == "method":
            owners = file.package.scope.get(receiver_type(symbol), [])
            for owner in world.candidates(owners, file):
                links.add(owner.id, "declares", key, symbol.line, "receiver")


def _add_imports(world: GoWorld, links: LinkColumns, file: GoFile) -> None:
    home = file_id(file.path)
    for one in file.facts.imports:
        target = world.by_path.get(one.path)
        if isinstance(target, Package) and target is not file.package:
            links.add(home, "imports", target.id, one.line, "import")
        elif one.path:
            via = "native" if native(one.path) else "external"
            links.add(home, "imports", world.outsider(one.path, "", "module"), one.line, via)
