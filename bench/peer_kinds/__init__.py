"""Drivers for the tools that `bench.peers` measures, and their common corpus."""
