"""Code that several languages share: walks over syntax trees, type inference, and graphs."""
