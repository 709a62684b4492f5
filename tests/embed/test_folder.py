"""A model of the user's in a folder: how it is run, stored and changed to, and how it fails."""

import base64
import hashlib
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from ghostmem import EmbeddingError, Ghost, InvalidInputError
from ghostmem.embed.choose import choose
from ghostmem.embed.folder import FolderEmbedder
from ghostmem.embed.models import SPECIFIED, wanted_model
from ghostmem.embed.wordpiece import FOLDER
from ghostmem.settings import Settings, write_config

# One Gather from a table of a vector a token: zeros, tea = (1, 0), milk = (0, 1), cake = (1, 1).
# Inputs: input_ids, attention_mask; output: last_hidden_state.
TINY = base64.b64decode(
    "CAgSADrmAQotCgV0YWJsZQoJaW5wdXRfaWRzEhFsYXN0X2hpZGRlbl9zdGF0ZSIGR2F0aGVyEgFnKkcIBwgCEAFCBXRhYmxl"
    "SjgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgD8AAAAAAAAAAAAAgD8AAIA/AACAP1ocCglpbnB1dF9pZHMS"
    "DwoNCAcSCQoCCAEKAxIBblohCg5hdHRlbnRpb25fbWFzaxIPCg0IBxIJCgIIAQoDEgFuYigKEWxhc3RfaGlkZGVuX3N0YXRl"
    "EhMKEQgBEg0KAggBCgMSAW4KAggCQgQKABAN"
)
HASH = hashlib.sha256(TINY).hexdigest()[:8]
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
    assert (embedder.model, embedder.dimension) == (f"folder:drinks-{HASH}", 2)
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
    assert own.model.startswith("folder:minilm-")
    assert own.embed(texts) == pytest.approx(shipped.embed(texts), abs=1e-5)


class StubTokenizer:
    """The part of a tokenizer of the package `tokenizers` that is used; its file asks for padding."""

    def __init__(self) -> None:
        self.padding, self.length = [0] * 5, 2

    @classmethod
    def from_file(cls, path: str) -> "StubTokenizer":
        """Read a file, as the package does: with a plain exception if it is damaged."""
        if Path(path).read_text() != "{}":
            raise Exception("expected value at line 1 column 1")  # noqa: TRY002
        return cls()

    def no_padding(self) -> None:
        """Add no tokens."""
        self.padding = []

    def no_truncation(self) -> None:
        """Drop no tokens."""
        self.length = 100

    def encode(self, text: str) -> SimpleNamespace:
        """Return the same ids for every text."""
        return SimpleNamespace(ids=[2, 5, 3][: self.length] + self.padding)


@pytest.fixture
def tokenizers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a stub of the package `tokenizers`."""
    package = ModuleType("tokenizers")
    package.Tokenizer = StubTokenizer  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tokenizers", package)


@pytest.mark.usefixtures("tokenizers")
def test_a_tokenizer_of_another_kind_is_read_by_its_package(
    tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With tokenizer.json, the package `tokenizers` makes the ids, where it is installed.

    Padding and truncation of the file do not count."""
    (tiny / "tokenizer.json").write_text("{}")
    embedder = choose(settings(tiny))
    assert isinstance(embedder, FolderEmbedder)
    assert embedder._encode("tea") == [2, 5, 3]
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
        first = ghost.admin.embed_status().model
    with Ghost.open(path, settings=settings(tiny)) as ghost:
        status = ghost.admin.embed_status()
        assert (status.model, status.next_model) == (first, f"folder:tiny-{HASH}")
        assert "vector" in ghost.search("tea", "a").legs
        assert ghost.admin.embed_switch() == 1
        status = ghost.admin.embed_status()
        assert (status.model, status.next_model) == (f"folder:tiny-{HASH}", "")
        assert status.other_models == {}
        ghost.put("a", "j", "milk")
        assert ghost.search("milk", "a")[0].key == "j"
        assert ghost.admin.embed_status().embedded == 2


def test_a_store_of_a_folder_gets_no_vectors_of_another_model(tiny: Path, tmp_path: Path) -> None:
    """Without the folder in the settings, a search goes by words and says so, until a switch."""
    path = str(tmp_path / "m.db")
    with Ghost.open(path, settings=settings(tiny)) as ghost:
        ghost.put("a", "k", "tea")
    for model in ("", SPECIFIED.name):
        other = Settings(embed_provider="local", embed_model=model)
        with Ghost.open(path, settings=other) as ghost:
            ghost.put("a", f"k-{model}", "green tea")
            found = ghost.search("tea", "a")
            assert "vector" not in found.legs
            assert len(found.notes) == 1
            assert f"folder:tiny-{HASH}" in found.notes[0]
            assert "ghost embed switch" in found.notes[0]
            status = ghost.admin.embed_status()
            assert status.other_models == {f"folder:tiny-{HASH}/2": 1}
            assert status.problem == found.notes[0]
    with Ghost.open(path, settings=settings(tiny)) as ghost:
        assert ghost.admin.embed_backfill() == 2
        assert "vector" in ghost.search("tea", "a").legs
    with Ghost.open(path, settings=Settings(embed_provider="local")) as ghost:
        with pytest.raises(EmbeddingError, match="folder:tiny"):
            ghost.admin.embed_backfill()
        assert ghost.admin.embed_switch() == 3
        found = ghost.search("tea", "a")
        assert "vector" in found.legs
        assert found.notes == ()
        assert ghost.admin.embed_status().other_models == {}


@pytest.mark.parametrize("name", ["./tiny", "tiny/", "../{}/tiny"])
def test_a_relative_path_is_a_folder(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A name with a separator is a path; the model is found after a change of the folder too."""
    monkeypatch.chdir(tiny.parent)
    relative = Settings(embed_provider="local", embed_model=name.format(tiny.parent.name))
    model = wanted_model(relative)
    assert Path(model.file).is_absolute()
    assert Path(model.file).samefile(tiny)
    assert model.id == f"folder:tiny-{HASH}"
    config = str(tiny.parent / "config.toml")
    assert Path(write_config(config, "embed_model", relative.embed_model)) == tiny
    assert write_config(config, "embed_model", "BAAI/bge-m3") == "BAAI/bge-m3"
    with pytest.raises(InvalidInputError, match="there is no folder /"):
        wanted_model(Settings(embed_provider="local", embed_model="./other"))


def test_models_in_folders_of_the_same_name_are_told_apart(tiny: Path, tmp_path: Path) -> None:
    """The id has a hash of the model, and of weights in a file of their own."""
    ids = {wanted_model(settings(tiny)).id}
    for number, file in enumerate(("model.onnx", "model.onnx_data")):
        copy = tmp_path / str(number) / "tiny"
        shutil.copytree(tiny, copy)
        with (copy / file).open("ab") as stream:
            stream.write(file.encode())
        ids.add(wanted_model(settings(copy)).id)
    assert len(ids) == 3


@pytest.mark.usefixtures("tokenizers")
@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("vocab.txt", None, "no tokenizer"),
        ("vocab.txt", "tea\nmilk\n", "no tokenizer"),
        ("model.onnx", None, "cannot be run"),
        ("model.onnx", "garbage", "model.onnx cannot be run"),
        ("tokenizer.json", "garbage", "tokenizer.json cannot be read"),
        ("config.json", "garbage", "config.json cannot be read"),
        ("config.json", "[]", "config.json cannot be read"),
        ("config.json", '{"max_tokens": "many"}', "config.json cannot be read"),
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
