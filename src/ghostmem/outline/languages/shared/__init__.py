"""Code that several languages share: walks of syntax trees, type inference, and graphs."""
