"""An adapter whose library is not installed says which extra brings it"""

import subprocess
import sys

import pytest

ADAPTERS = {
    "langgraph": ("langgraph", "langgraph"),
    "langchain": ("langchain_core", "langchain"),
    "openai_agents": ("agents", "openai-agents"),
    "llamaindex": ("llama_index", "llamaindex"),
    "anthropic": ("anthropic", "anthropic"),
}


@pytest.mark.parametrize("adapter", ADAPTERS)
def test_a_missing_library_names_its_extra(adapter: str) -> None:
    """The error is an ImportError with the command to run."""
    library, extra = ADAPTERS[adapter]
    code = f"import sys; sys.modules[{library!r}] = None; import ghostmem.adapters.{adapter}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1
    assert last.startswith(f"ImportError: ghostmem.adapters.{adapter} cannot import {library}")
    assert last.endswith(f"run `pip install 'ghostmem[{extra}]'`")
