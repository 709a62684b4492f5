"""What a few of Python's own classes and functions give, as far as receivers of calls need it."""

FAMILIES = {
    **dict.fromkeys(
        "dict Dict Mapping MutableMapping OrderedDict defaultdict DefaultDict Counter "
        "ChainMap".split(),
        "dict",
    ),
    **dict.fromkeys("list List Sequence MutableSequence deque Deque".split(), "list"),
    **dict.fromkeys("set Set frozenset FrozenSet AbstractSet MutableSet".split(), "set"),
    **dict.fromkeys(
        "Iterable Iterator Generator AsyncIterable AsyncIterator AsyncGenerator Collection".split(),
        "iterator",
    ),
    **dict.fromkeys(
        "KeysView ValuesView ItemsView Reversible Container iterator".split(), "iterator"
    ),
    **dict.fromkeys("tuple Tuple".split(), "tuple"),
}
TRANSPARENT = frozenset(
    "ClassVar Final Annotated Required NotRequired ReadOnly Optional Union Unpack InitVar "
    "TypeGuard".split()
)
RESULTS = frozenset(
    "Awaitable Coroutine".split()
)  # awaiting is not followed: they stand for what they give
MANAGERS = frozenset(
    "ContextManager AsyncContextManager AbstractContextManager AbstractAsyncContextManager".split()
)
MARKERS = frozenset(
    "typing.Generic typing.Protocol abc.ABC object typing_extensions.Protocol "
    "typing_extensions.Generic".split()
)
PLAIN_BASES = (
    "typing.",
    "typing_extensions.",
    "collections.abc.",
)  # modules of classes that have no __init__ of their own
WITHOUT_INIT = frozenset("int float complex bool str bytes tuple frozenset range".split())
NOTHING = frozenset("Any None NoReturn Never object LiteralString".split())

# methods that give an instance of a class of Python's own
_TEXT = (
    "strip lstrip rstrip lower upper title format join replace capitalize casefold "
    "center ljust rjust zfill expandtabs translate"
)
RETURNS: dict[str, str] = {
    **{
        f"str.{one}": "str"
        for one in f"{_TEXT} removeprefix removesuffix swapcase format_map".split()
    },
    **{
        f"bytes.{one}": "bytes"
        for one in "strip lstrip rstrip lower upper join replace removeprefix removesuffix".split()
    },
    "str.encode": "bytes",
    "bytes.decode": "str",
}
LISTS: dict[str, str] = {
    **{f"str.{one}": "str" for one in "split rsplit splitlines partition rpartition".split()},
    **{f"bytes.{one}": "bytes" for one in "split rsplit splitlines partition rpartition".split()},
}
FUNCTIONS: dict[str, str] = {
    "repr": "str",
    "str": "str",
    "ascii": "str",
    "chr": "str",
    "hex": "str",
    "input": "str",
    "len": "int",
    "ord": "int",
    "hash": "int",
    "id": "int",
    "open": "io.TextIOWrapper",
    "re.compile": "re.Pattern",
    "logging.getLogger": "logging.Logger",
}
COLLECTS = frozenset(
    "list sorted set frozenset tuple reversed iter collections.deque filter aiter".split()
)
PICKS = frozenset("next max min anext random.choice".split())
COPIES = frozenset("copy.copy copy.deepcopy dataclasses.replace typing.final".split())
CASTS = frozenset("typing.cast typing_extensions.cast".split())
PARTIALS = frozenset("functools.partial functools.partialmethod".split())
VARIABLES = frozenset("typing.TypeVar typing_extensions.TypeVar".split())
PROPERTIES = frozenset(
    "property functools.cached_property cached_property abc.abstractproperty "
    "werkzeug.utils.cached_property".split()
)
CONTEXTS = frozenset("contextlib.contextmanager contextlib.asynccontextmanager".split())
OBJECT = frozenset(
    "__init__ __new__ __repr__ __str__ __eq__ __ne__ __hash__ __setattr__ __getattribute__ "
    "__delattr__ __init_subclass__ "
    "__subclasshook__ __reduce__ __reduce_ex__ __dir__ __format__ __sizeof__ __class__ "
    "__dict__ __doc__ __module__ "
    "__lt__ __le__ __gt__ __ge__ __getstate__".split()
)
