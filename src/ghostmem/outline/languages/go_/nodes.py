"""The nodes of a project and the links that need no types: declares and imports."""

from ghostmem.outline.facts import FILE, Symbol
from ghostmem.outline.graph import Linked, OutlineLink, OutlineNode, file_id, project_id
from ghostmem.outline.languages.go_.world import Decl, GoFile, GoWorld, Package, native


def add_nodes(world: GoWorld, linked: Linked) -> None:
    """Add packages, files and symbols, and index what they declare."""
    for package in sorted(world.packages.values(), key=lambda one: one.id):
        linked.nodes[package.id] = OutlineNode(
            package.id, package.path, "module", file=package.folder, full=package.path
        )
    for file in world.files:
        _add_file(world, linked, file)
    for file in world.files:
        _declare(world, linked, file)
        _add_imports(world, linked, file)


def _add_file(world: GoWorld, linked: Linked, file: GoFile) -> None:
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
    linked.links.append(OutlineLink(file.package.id, "declares", key, 1, "package"))
    for index, symbol in enumerate(file.facts.symbols):
        _add_symbol(world, linked, file, index, symbol)


def _add_symbol(world: GoWorld, linked: Linked, file: GoFile, index: int, symbol: Symbol) -> None:
    package = file.package
    local = _local_name(file, symbol)
    name = f"{package.name}.{local}"
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
        full=f"{package.path}.{local}",
        body=symbol.detail["sha"],
    )
    world.names[symbol.name] = world.names.get(symbol.name, 0) + 1
    if symbol.parent != FILE:
        owner = f"{package.path}.{file.facts.symbols[symbol.parent].name}"
        world.members.setdefault(owner, {}).setdefault(symbol.name, []).append(key)
    elif symbol.kind == "method":
        owner = f"{package.path}.{symbol.detail['recv'].lstrip('*')}"
        world.methods.setdefault(owner, {}).setdefault(symbol.name, []).append(
            Decl(key, file, symbol, index)
        )
    elif symbol.name != "init" or symbol.kind != "function":
        package.scope.setdefault(symbol.name, []).append(Decl(key, file, symbol, index))


def _local_name(file: GoFile, symbol: Symbol) -> str:
    if symbol.parent != FILE:
        return f"{file.facts.symbols[symbol.parent].name}.{symbol.name}"
    receiver = (symbol.detail or {}).get("recv")
    if receiver is None:
        return symbol.name
    return (
        f"({receiver}).{symbol.name}" if receiver.startswith("*") else f"{receiver}.{symbol.name}"
    )


def _declare(world: GoWorld, linked: Linked, file: GoFile) -> None:
    home = file_id(file.path)
    for key, symbol in zip(file.ids, file.facts.symbols, strict=True):
        if symbol.parent != FILE:
            owner_id = file.ids[symbol.parent]
            linked.links.append(OutlineLink(owner_id, "declares", key, symbol.line, "type"))
            continue
        linked.links.append(OutlineLink(home, "declares", key, symbol.line, "package"))
        if symbol.kind == "method":
            owners = file.package.scope.get(symbol.detail["recv"].lstrip("*"), [])
            for owner in world.candidates(owners, file):
                linked.links.append(OutlineLink(owner.id, "declares", key, symbol.line, "receiver"))


def _add_imports(world: GoWorld, linked: Linked, file: GoFile) -> None:
    for one in file.facts.imports:
        target = world.by_path.get(one.path)
        if isinstance(target, Package) and target is not file.package:
            linked.links.append(
                OutlineLink(file_id(file.path), "imports", target.id, one.line, "import")
            )
        elif one.path:
            via = "native" if native(one.path) else "external"
            linked.links.append(
                OutlineLink(
                    file_id(file.path),
                    "imports",
                    world.outsider(one.path, "", "module"),
                    one.line,
                    via,
                )
            )
