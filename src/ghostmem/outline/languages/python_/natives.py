"""Names of Python's own library by their meaning."""

from ghostmem.outline.languages.shared.known import meanings
from ghostmem.outline.rules import packages_in

KNOWN = packages_in("python.txt")
FAMILIES = meanings("python.txt", "family")  # of containers
# functions, methods and methods that give lists: the class of their results
FUNCTIONS, RETURNS, LISTS = (
    meanings("python.txt", group) for group in ("functions", "returns", "lists")
)
