"""Code that several languages share: walks over syntax, expressions, the gathering of a graph."""
