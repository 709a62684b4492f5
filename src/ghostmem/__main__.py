"""`python -m ghostmem` is the command `ghost`."""

from ghostmem.cli.main import main

if __name__ == "__main__":
    main()
