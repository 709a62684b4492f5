"""Write the table of related words for lexical search from the static model.

One line a word, sorted: the word, then its nearest words with their cosines in hundredths. Words of
the same stem are left out: they are the same term to the index already."""

from pathlib import Path

import numpy as np

from ghostmem.embed.static import StaticEmbedder
from ghostmem.embed.wordpiece import FOLDER
from ghostmem.text.stem import stem
from ghostmem.text.terms import STOP_WORDS

MOST, LEAST = 24, 0.5


def main() -> None:
    """Compare every word of the vocabulary with every other and keep the nearest."""
    vocabulary = (FOLDER / "vocab.txt").read_text(encoding="utf-8").split("\n")
    words = sorted(
        w
        for w in vocabulary
        if w.isascii() and w.isalpha() and w.islower() and len(w) > 2 and w not in STOP_WORDS
    )
    rows = StaticEmbedder().embed(words)
    stems = [stem(word) for word in words]
    lines = []
    for start in range(0, len(words), 512):
        cosines = rows[start : start + 512] @ rows.T
        for at, row in enumerate(cosines, start):
            lines.append(_line(at, row, words, stems))
    text = "\n".join(line for line in lines if line) + "\n"
    Path(FOLDER / "synonyms.txt").write_text(text, encoding="utf-8", newline="\n")
    print(f"{text.count(chr(10)):,} words, {len(text):,} bytes")


def _line(
    at: int, row: "np.ndarray[tuple[int], np.dtype[np.float32]]", words: list[str], stems: list[str]
) -> str:
    found: dict[str, str] = {}
    for other in np.argsort(-row, kind="stable")[: MOST * 4]:
        if row[other] <= LEAST or len(found) == MOST:
            break
        if stems[other] != stems[at] and stems[other] not in found:
            found[stems[other]] = f"{words[other]}:{round(float(row[other]) * 100)}"
    return f"{words[at]} {' '.join(found.values())}" if found else ""


if __name__ == "__main__":
    main()
