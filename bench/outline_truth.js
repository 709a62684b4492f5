// node outline_truth.js TYPESCRIPT DIR typescript|javascript: the calls of a project as the
// TypeScript checker resolves them, one JSON array per line:
// [calling file, line, called file, line of the declaration, name, sure].
// Not sure are declarations that a call may be said to reach as well: the further overloads of a
// function, a variable or property whose type is only a function type, and accessors.
const fs = require("fs");
const path = require("path");
const ts = checkerOf(process.argv[2]);
const root = path.resolve(process.argv[3]);
const script = process.argv[4] === "javascript";
const ending = script ? /\.(js|jsx|mjs|cjs)$/ : /\.(ts|tsx|mts|cts)$/;

function checkerOf(name) {
  try {
    return require(name);
  } catch {
    process.exit(3);
  }
}

function sources(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : sources(place);
    return ending.test(entry.name) ? [place] : [];
  });
}

const files = new Set(sources(root));
const program = ts.createProgram([...files], {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.React,
  strict: true,
  allowJs: script,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  maxNodeModuleJsDepth: 0,
});
const checker = program.getTypeChecker();
const isBound = (node) =>
  ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node) ||
  ts.isBinaryExpression(node) || ts.isPropertyAccessExpression(node);
const isLiteral = (node) => ts.isArrowFunction(node) || ts.isFunctionExpression(node);
const isTypeOnly = (node) =>
  ts.isFunctionTypeNode(node) || ts.isConstructorTypeNode(node) || ts.isCallSignatureDeclaration(node) ||
  ts.isConstructSignatureDeclaration(node) || ts.isJSDocSignature(node);

// The declaration that an outline shows for a signature: a function's variable, not its literal.
function shown(declaration) {
  const holder = declaration.parent;
  return isLiteral(declaration) && holder && isBound(holder) ? holder : declaration;
}

function symbolOf(expression) {
  const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
  const symbol = checker.getSymbolAtLocation(name);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

// The declarations that a call reaches, each with true if it surely is the called one.
function* reached(call) {
  const signature = checker.getResolvedSignature(call);
  const declaration = signature && signature.declaration;
  if (declaration && !isTypeOnly(declaration)) {
    const all = (declaration.symbol && declaration.symbol.declarations) || [declaration];
    const body = all.find((one) => ts.isFunctionLike(one) && one.body) || declaration;
    for (const one of all) yield [shown(one), one === body];
    yield [shown(body), true];
  } else {
    const symbol = symbolOf(call.expression);
    const constructed = ts.isNewExpression(call) && symbol && symbol.flags & ts.SymbolFlags.Class;
    for (const one of (symbol && symbol.declarations) || []) yield [one, Boolean(constructed)];
  }
}

// The getters and setters of a property that is read or written, which some take for calls.
function accessors(node) {
  const symbol = checker.getSymbolAtLocation(node.name);
  const isAccessor = symbol && symbol.flags & ts.SymbolFlags.Accessor;
  return isAccessor ? symbol.declarations.map((one) => [one, false]) : [];
}

function line(file, node) {
  return file.getLineAndCharacterOfPosition(node.getStart(file, false)).line + 1;
}

function visit(file, node) {
  const isCall = ts.isCallExpression(node) || ts.isNewExpression(node);
  if (isCall || ts.isPropertyAccessExpression(node)) {
    for (const [declaration, sure] of isCall ? reached(node) : accessors(node)) {
      const target = declaration.getSourceFile();
      if (!files.has(target.fileName) || isLiteral(declaration)) continue;
      const name = declaration.name && declaration.name.getText ? declaration.name.getText() : "";
      console.log(JSON.stringify([
        path.relative(root, file.fileName), line(file, node),
        path.relative(root, target.fileName), line(target, declaration), name, sure,
      ]));
    }
  }
  ts.forEachChild(node, (child) => visit(file, child));
}

for (const file of program.getSourceFiles()) if (files.has(file.fileName)) visit(file, file);
