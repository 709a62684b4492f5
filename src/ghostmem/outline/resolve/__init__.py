"""Resolve the references of a project: names, then types and members, then links."""
