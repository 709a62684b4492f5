"""The names of Node and of the language itself: built-in modules, global values and types."""

BUILTIN_MODULES = frozenset(
    """
        assert async_hooks buffer child_process cluster console constants crypto dgram
        diagnostics_channel dns domain events fs http http2 https inspector module net os path
        perf_hooks process punycode querystring readline repl sea sqlite stream string_decoder
        sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib
    """.split()
)

# classes of the language, of Node and of browsers
GLOBAL_TYPES = frozenset(
    """
        AbortController AbortSignal AggregateError Array ArrayBuffer ArrayLike AsyncFunction
        AsyncGenerator AsyncIterable AsyncIterableIterator AsyncIterator Atomics Awaited BigInt
        BigInt64Array BigUint64Array Blob Boolean BroadcastChannel Buffer
        ByteLengthQueuingStrategy Capitalize CompressionStream ConstructorParameters
        CountQueuingStrategy Crypto CryptoKey CustomEvent DataView Date DecompressionStream
        Document DocumentFragment DOMException DOMParser DOMRect Element Error EvalError Event
        EventListener EventSource EventTarget Exclude Extract File FileList FileReader
        FinalizationRegistry Float32Array Float64Array FormData Function Generator
        GeneratorFunction Headers History HTMLAnchorElement HTMLButtonElement HTMLCanvasElement
        HTMLDivElement HTMLElement HTMLFormElement HTMLImageElement HTMLInputElement
        HTMLSelectElement HTMLSpanElement HTMLTextAreaElement HTMLVideoElement Image
        InstanceType Int16Array Int32Array Int8Array IntersectionObserver Iterable
        IterableIterator Iterator IteratorResult JSX KeyboardEvent Location Lowercase Map
        MessageChannel MessageEvent MessagePort MouseEvent MutationObserver Node NodeJS NodeList
        NonNullable Number Object Omit OmitThisParameter Parameters Partial Performance
        PerformanceObserver Pick PointerEvent Promise PromiseLike PropertyKey Proxy RangeError
        ReadableStream ReadonlyArray ReadonlyMap ReadonlySet Readonly Record ReferenceError
        RegExp RegExpExecArray RegExpMatchArray Request Required ResizeObserver Response
        ReturnType Set SharedArrayBuffer Storage String SubtleCrypto Symbol SyntaxError
        TemplateStringsArray TextDecoder TextEncoder ThisParameterType ThisType TransformStream
        TypedPropertyDescriptor PropertyDescriptor TypeError UIEvent URL URLSearchParams
        URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray Uncapitalize Uppercase
        WeakMap WeakRef WeakSet WebAssembly WebSocket Window Worker WritableStream
        XMLHttpRequest
    """.split()
)

# other values that need no import, also those of the usual test runners
GLOBAL_VALUES = frozenset(
    """
        __dirname __filename alert atob btoa cancelAnimationFrame clearImmediate clearInterval
        clearTimeout confirm console crypto customElements decodeURI decodeURIComponent document
        encodeURI encodeURIComponent escape eval exports fetch global globalThis history
        indexedDB Infinity Intl isFinite isNaN JSON localStorage location Math matchMedia module
        NaN navigator parseFloat parseInt performance process prompt queueMicrotask Reflect
        require requestAnimationFrame screen self sessionStorage setImmediate setInterval
        setTimeout structuredClone unescape window describe it test expect beforeEach afterEach
        beforeAll afterAll before after jest vi suite
    """.split()
)

# the types of primitive types as written
PRIMITIVES: dict[str, tuple[object, ...]] = {
    **{
        name.lower(): ("native", name, ())
        for name in ("String", "Number", "Boolean", "Symbol", "BigInt", "Object")
    },
    **dict.fromkeys(("null", "undefined", "void", "never"), ("null",)),
}
ARRAYS = frozenset(
    """
        Array ReadonlyArray Set ReadonlySet Iterable IterableIterator Iterator Generator ArrayLike
    """.split()
)
PROMISES = frozenset({"Promise", "PromiseLike", "Awaited"})
# generic types with the members of their argument
SAME_MEMBERS = frozenset("Readonly Partial Required NonNullable Omit Pick Awaited".split())
# methods of arrays by their result: the same kind of array, or one element
SAME_ARRAY = frozenset(
    "filter slice sort reverse concat splice toSorted toReversed fill values".split()
)
ELEMENT = frozenset({"find", "pop", "shift", "at", "findLast"})
# methods of arrays: the parameters of their callback that are elements
ELEMENT_PARAMETERS = {
    **dict.fromkeys(
        "map forEach filter find findIndex findLast some every flatMap findLastIndex".split(), (0,)
    ),
    "sort": (0, 1),
    "toSorted": (0, 1),
    "reduce": (1,),
}
RETURNS_STRING = frozenset(
    """
        toString trim trimStart trimEnd slice substring substr toLowerCase toUpperCase replace
        replaceAll padStart padEnd repeat charAt concat normalize join toFixed toISOString
        toLocaleString
    """.split()
)
