"""Benchmarks: `python -m bench.NAME [--json]` measures ratios in one run and prints a table."""
