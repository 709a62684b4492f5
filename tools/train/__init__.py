"""Training of the models that ship inside the package; README.md here has the commands."""
