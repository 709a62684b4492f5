"""Place the model that some peers download at first start, for machines without a model hub.

The weights are those of all-MiniLM-L6-v2, in the int8 form that ships with Ghost; the shape is the
one Chroma publishes: hidden states out, token types in. Run with an environment that has onnx:
`python place_model.py MODEL.onnx TOKENIZER.json VOCAB.txt FOLDER`."""

import shutil
import sys
from pathlib import Path

NAMED = ("config.json", "special_tokens_map.json", "tokenizer_config.json")


def place(model: Path, tokenizer: Path, vocabulary: Path, folder: Path) -> None:
    """Write the files of Chroma's archive into a folder."""
    import onnx

    made = onnx.load(str(model))
    graph = made.graph
    ids = next(each for each in graph.input if each.name == "input_ids")
    types = graph.input.add()
    types.CopyFrom(ids)
    types.name = "token_type_ids"
    hidden = [node.output[0] for node in graph.node if node.op_type == "Reshape"][
        -1
    ]  # the last before the pooling
    del graph.output[:]
    graph.output.append(
        onnx.helper.make_tensor_value_info(hidden, onnx.TensorProto.FLOAT, ["batch", "tokens", 384])
    )
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(made, str(folder / "model.onnx"))
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    shutil.copyfile(vocabulary, folder / "vocab.txt")
    for name in NAMED:
        (folder / name).write_text("{}")


if __name__ == "__main__":
    place(*(Path(path) for path in sys.argv[1:5]))
