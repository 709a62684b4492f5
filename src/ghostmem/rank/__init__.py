"""Ranking: pure functions from features to scores, one path for every engine."""
