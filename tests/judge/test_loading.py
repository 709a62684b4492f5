"""Loading the judge: once in a process, and what happens where it cannot run."""

import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

import ghostmem.judge
from ghostmem import EmbeddingError, Ghost
from ghostmem.embed.wordpiece import FOLDER
from ghostmem.judge import JudgeLoader, find_judge, judge_available
from ghostmem.judge.model import Judge
from ghostmem.settings import Settings

AUTO = Settings(embed_provider="local", judge="auto")
ON = Settings(embed_provider="none", judge="on")


@pytest.fixture
def loader(monkeypatch: pytest.MonkeyPatch) -> JudgeLoader:
    """Return the loader of a process that has not loaded the judge yet."""
    loader = JudgeLoader()
    monkeypatch.setattr(ghostmem.judge, "LOADER", loader)
    return loader


@pytest.mark.usefixtures("loader")
def test_without_onnxruntime_the_plain_rules_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    """`auto` does without the judge; `on` says what to do; a failure is not tried again."""
    with monkeypatch.context() as hidden:
        hidden.setitem(sys.modules, "onnxruntime", None)
        assert not judge_available(AUTO)
        assert find_judge(AUTO) is None
        with pytest.raises(EmbeddingError) as failed:
            find_judge(ON)
        assert failed.value.hint == "install onnxruntime, or set GHOST_JUDGE=off"
    assert not judge_available(AUTO)
    assert find_judge(AUTO) is None


@pytest.mark.parametrize("content", [None, b"garbage"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    """Whatever onnxruntime raises becomes an error of Ghost."""
    if content is not None:
        (tmp_path / "judge-int8.onnx").write_bytes(content)
    with pytest.raises(EmbeddingError, match=r"judge-int8\.onnx cannot be run") as failed:
        Judge(tmp_path)
    assert "GHOST_JUDGE=off" in failed.value.hint


def test_a_put_is_stored_although_the_file_is_damaged(
    open_ghost: Callable[..., Ghost],
    loader: JudgeLoader,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With `auto`, the plain rules compare the texts."""
    for file in FOLDER.iterdir():
        if file.is_file() and not file.name.startswith("judge-int8"):
            shutil.copy(file, tmp_path)
    monkeypatch.setattr(Judge.__init__, "__defaults__", (tmp_path,))
    ghost = open_ghost(embed_provider="local")
    ghost.put("a", "owner", "Tom owns the payments module.")
    assert loader.error is None
    memory = ghost.put("a", "new", "Tom owns the payments module!")
    assert memory.verdict is not None
    assert memory.verdict.kind == "restatement"
    assert loader.error is not None


def test_threads_load_the_judge_once(loader: JudgeLoader) -> None:
    """All get the same judge."""
    barrier = Barrier(3)

    def load(_: int) -> Judge:
        barrier.wait()
        return loader.get()

    with ThreadPoolExecutor(3) as pool:
        assert len(set(map(id, pool.map(load, range(3))))) == 1


@pytest.mark.usefixtures("loader")
def test_the_plain_rules_search_as_wide_as_without_the_judge(
    open_ghost: Callable[..., Ghost], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A long text that announces a change is compared with a memory of few short words."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    texts = (
        "The bakery sells rye bread.",
        "Interest rates rose in March.",
        "The train was late.",
        "Anna lives in Rome.",
        "Anna no longer lives in Rome, because international headquarters transferred "
        "engineering departments elsewhere.",
    )
    kinds = {}
    for judge in ("off", "auto"):
        ghost = open_ghost(f"{judge}.db", embed_provider="local", judge=judge)
        for number, text in enumerate(texts):
            verdict = ghost.put("a", f"k{number}", text).verdict
        assert verdict is not None
        kinds[judge] = (verdict.kind, verdict.key)
    assert kinds == {"off": ("update", "k3"), "auto": ("update", "k3")}
