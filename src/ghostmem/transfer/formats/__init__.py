"""Reading what other memory tools wrote: read-only, one module per format, plain values out."""
