"""Measure bulk loading with vectors against the speed of the model alone."""

from itertools import count
from typing import Any

from bench.corpus import many_sentences, sentences
from bench.latency_search import load
from bench.timing import Cost, Plan, Section, cost, cpu_ms, interleaved, wall_ms
from ghostmem import Settings
from ghostmem.embed.choose import choose

LOCAL, STATIC = (
    600,
    5_000,
)  # how many memories each provider is given; enough that loading the model is a small part
TIMES = 3


def ingest(plan: Plan) -> Section:
    """Import memories with each shipped model, and embed the same texts with the model alone."""
    data: dict[str, Any] = {}
    rows = []
    for name, texts, aim in (
        ("local", sentences(LOCAL), "≥ 0.90"),
        ("static", many_sentences(STATIC), "≥ 1,500 /s"),
    ):
        settings, fresh = Settings(embed_provider=name), count()
        embedder = choose(settings)
        assert embedder is not None
        embedder.embed(texts[:8])

        def import_(
            settings: Settings = settings,
            texts: list[str] = texts,
            name: str = name,
            fresh: Any = fresh,
        ) -> Cost:
            return load(plan.folder / f"{name}-{next(fresh)}.db", texts, settings)

        works = {
            "import": import_,
            "model": lambda made=embedder, texts=texts: cost(lambda: made.embed(texts)),
        }
        found = interleaved(works, TIMES)
        each, alone = cpu_ms(found["import"]) / len(texts), cpu_ms(found["model"]) / len(texts)
        data[name] = {
            "memories": len(texts),
            "per_cpu_second": round(1000 / each),
            "per_wall_second": round(1000 * len(texts) / wall_ms(found["import"])),
            "model_per_cpu_second": round(1000 / alone),
            "share_of_model": round(alone / each, 3),
        }
        rows.append((f"model {name} alone", f"{1000 / alone:,.0f} /s", "1.00", ""))
        rows.append((f"import with {name}", f"{1000 / each:,.0f} /s", f"{alone / each:.2f}", aim))
    return Section(data, rows)
