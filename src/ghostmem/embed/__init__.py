"""Where vectors come from: one small module a provider, chosen by `choose`."""
