"""A model of the user's in a folder: how it is run, stored and changed to, and how it fails."""

import base64
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from ghostmem import EmbeddingError, Ghost
from ghostmem.embed.choose import choose
from ghostmem.embed.models import SPECIFIED
from ghostmem.embed.wordpiece import FOLDER
from ghostmem.settings import Settings

# One Gather from a table of a vector a token: zeros, tea = (1, 0), milk = (0, 1), cake = (1, 1).
# Inputs: input_ids, attention_mask; output: last_hidden_state.
TINY = base64.b64decode(
    "CAgSADrmAQotCgV0YWJsZQoJaW5wdXRfaWRzEhFsYXN0X2hpZGRlbl9zdGF0ZSIGR2F0aGVyEgFnKkcIBwgCEAFCBXRhYmxl"
    "SjgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAIA/AACAP1ocCglpbnB1dF9pZHMS"
    "DwoNCAcSCQoCCAEKAxIBblohCg5hdHRlbnRpb25fbWFzaxIPCg0IBxIJCgIIAQoDEgFuYigKEWxhc3RfaGlkZGVuX3N0YXRl"
    "EhMKEQgBEg0KAggBCgMSAW4KAggCQgQKABAN"
)
VOCABULARY = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ntea\nmilk\ncake\n"


def settings(folder: Path) -> Settings:
    """Return settings with the model of a folder."""
    return Settings(embed_provider="local", embed_model=str(folder))


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Return a folder with the smallest model."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(TINY)
    (folder / "vocab.txt").write_text(VOCABULARY)
    return folder


def test_tokens_are_averaged_and_cut(tiny: Path) -> None:
    """An output for every token becomes one unit vector; config.json has the name and the length."""
    (tiny / "config.json").write_text(json.dumps({"name": "drinks", "max_tokens": 4}))
    embedder = choose(settings(tiny))
    assert embedder is not None
    assert (embedder.model, embedder.dimension) == ("folder:drinks", 2)
    made = embedder.embed(["tea", "tea milk", "tea tea milk milk", "cake"])
    half = 2**-0.5
    assert made == pytest.approx(np.array([[1, 0], [half, half], [1, 0], [half, half]]), abs=1e-6)
    assert embedder.embed([]).shape == (0, 2)


def test_a_sentence_embedding_is_taken_as_it_is(tmp_path: Path) -> None:
    """The model of the package, in a folder, makes the same vectors."""
    folder = tmp_path / "minilm"
    folder.mkdir()
    shutil.copy(FOLDER / SPECIFIED.file, folder / "model.onnx")
    for name in ("minilm-l6-v2-int8.data", "vocab.txt"):
        shutil.copy(FOLDER / name, folder / name)
    texts = ["The cat sleeps.", "Interest rates rose in March."]
    shipped = choose(Settings(embed_provider="local", embed_model=SPECIFIED.name))
    own = choose(settings(folder))
    assert shipped is not None
    assert own is not None
    assert own.model == "folder:minilm"
    assert own.embed(texts) == pytest.approx(shipped.embed(texts), abs=1e-5)


def test_a_tokenizer_of_another_kind_is_read_by_its_package(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With tokenizer.json, the package `tokenizers` makes the ids, where it is installed."""
    (tiny / "tokenizer.json").write_text("{}")
    package = ModuleType("tokenizers")
    reader = SimpleNamespace(encode=lambda text: SimpleNamespace(ids=[2, 5, 3]))
    package.Tokenizer = SimpleNamespace(from_file=lambda path: reader)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tokenizers", package)
    embedder = choose(settings(tiny))
    assert embedder is not None
    assert embedder.embed(["tea"]) == pytest.approx(np.array([[0, 1]]))
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    plain = choose(settings(tiny))
    assert plain is not None
    assert plain.embed(["tea"]) == pytest.approx(np.array([[1, 0]]))


def test_a_store_changes_to_the_model_of_a_folder(tiny: Path, tmp_path: Path) -> None:
    """Until the change has finished, the store keeps its model; then it has that of the folder."""
    path = str(tmp_path / "m.db")
    with Ghost.open(path, settings=Settings(embed_provider="local")) as ghost:
        ghost.put("a", "k", "tea")
        first = ghost.embed_status().model
    with Ghost.open(path, settings=settings(tiny)) as ghost:
        status = ghost.embed_status()
        assert (status.model, status.next_model) == (first, "folder:tiny")
        assert "vector" in ghost.search("tea", "a").legs
        assert ghost.embed_switch() == 1
        status = ghost.embed_status()
        assert (status.model, status.next_model, status.other_models) == ("folder:tiny", "", {})
        ghost.put("a", "j", "milk")
        assert ghost.search("milk", "a")[0].key == "j"
        assert ghost.embed_status().embedded == 2


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("vocab.txt", None, "no tokenizer"),
        ("vocab.txt", "tea\nmilk\n", "no tokenizer"),
        ("model.onnx", None, "cannot be run"),
        ("model.onnx", "garbage", "cannot be run"),
    ],
)
def test_a_folder_that_cannot_be_used_is_told(
    tiny: Path, file: str, content: str | None, says: str
) -> None:
    """A put is stored without vectors, and the reason is told."""
    if content is None:
        (tiny / file).unlink()
    else:
        (tiny / file).write_text(content)
    with pytest.raises(EmbeddingError, match=says):
        choose(settings(tiny))
    with Ghost.open(":memory:", settings=settings(tiny)) as ghost:
        ghost.put("a", "k", "green tea")
        found = ghost.search("tea", "a")
        assert [hit.key for hit in found] == ["k"]
        assert says in found.notes[0]
