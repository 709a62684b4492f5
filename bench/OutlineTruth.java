import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.tools.ToolProvider;

/**
 * java OutlineTruth.java DIR: the calls of a project as javac resolves them, one JSON array per
 * line: [calling file, line, called file, line of the declaration, name, sure]. A constructor that
 * nobody wrote is its class. An implicit super() is left out, and an enum constant without arguments
 * is not surely a call.
 */
class OutlineTruth extends TreePathScanner<Void, Void> {
    private final Path root;
    private final Trees trees;
    private final SourcePositions positions;
    private final CompilationUnitTree unit;

    OutlineTruth(Path root, Trees trees, CompilationUnitTree unit) {
        this.root = root;
        this.trees = trees;
        this.positions = trees.getSourcePositions();
        this.unit = unit;
    }

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]).toRealPath();
        var compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, null);
        List<Path> files;
        try (var walk = Files.walk(root)) {
            files = walk.filter(one -> one.toString().endsWith(".java") && !one.endsWith("module-info.java"))
                .sorted().collect(Collectors.toList());
        }
        if (files.isEmpty()) {
            return;
        }
        // Missing libraries are errors, after which javac goes on as far as it can.
        var task = (JavacTask) compiler.getTask(
            new PrintWriter(Writer.nullWriter()), manager, problem -> {},
            List.of("-proc:none", "-XDshould-stop.ifError=FLOW"), null,
            manager.getJavaFileObjectsFromPaths(files));
        Iterable<? extends CompilationUnitTree> units = task.parse();
        task.analyze();
        for (CompilationUnitTree unit : units) {
            new OutlineTruth(root, Trees.instance(task), unit).scan(unit, null);
        }
    }

    @Override
    public Void visitMethodInvocation(MethodInvocationTree call, Void none) {
        // An implicit super() has no end in the source.
        if (positions.getEndPosition(unit, call) >= 0) {
            print(call, trees.getElement(getCurrentPath()), true);
        }
        return super.visitMethodInvocation(call, none);
    }

    @Override
    public Void visitNewClass(NewClassTree call, Void none) {
        Tree holder = getCurrentPath().getParentPath().getLeaf();
        Element field = holder instanceof VariableTree
            ? trees.getElement(getCurrentPath().getParentPath()) : null;
        boolean constant = field != null && field.getKind() == ElementKind.ENUM_CONSTANT;
        boolean anonymous = call.getClassBody() != null;
        print(call, anonymous ? superConstructor(call) : trees.getElement(getCurrentPath()),
            !constant || !call.getArguments().isEmpty());
        return super.visitNewClass(call, none);
    }

    /** The constructor that an anonymous class calls: the one that its generated super() names. */
    private Element superConstructor(NewClassTree call) {
        Element[] found = {null};
        new TreePathScanner<Void, Void>() {
            @Override
            public Void visitMethodInvocation(MethodInvocationTree inner, Void none) {
                ExpressionTree name = inner.getMethodSelect();
                if (found[0] == null && name.toString().endsWith("super")) {
                    found[0] = trees.getElement(getCurrentPath());
                }
                return null;
            }
        }.scan(new TreePath(getCurrentPath(), call.getClassBody()), null);
        return found[0];
    }

    private void print(Tree call, Element called, boolean sure) {
        if (!(called instanceof ExecutableElement)) {
            return;
        }
        TreePath path = trees.getPath(called);
        if (path == null || positions.getEndPosition(path.getCompilationUnit(), path.getLeaf()) < 0) {
            path = trees.getPath(called.getEnclosingElement());
        }
        if (path == null) {
            return;
        }
        CompilationUnitTree target = path.getCompilationUnit();
        System.out.printf("[\"%s\", %d, \"%s\", %d, \"%s\", %b]%n",
            name(unit), line(unit, call), name(target), line(target, path.getLeaf()), called.getSimpleName(),
            sure);
    }

    private String name(CompilationUnitTree file) {
        return root.relativize(Path.of(file.getSourceFile().toUri())).toString().replace('\\', '/');
    }

    private long line(CompilationUnitTree file, Tree tree) {
        return file.getLineMap().getLineNumber(positions.getStartPosition(file, tree));
    }
}
