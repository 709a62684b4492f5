"""The names that Node and the language itself bring: built-in modules, global values, and the types
among them.
"""

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

# other values that are there without an import, also in the tests of the usual runners
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

# what the written names of primitive types are when they have methods
PRIMITIVES = {
    "string": "String",
    "number": "Number",
    "boolean": "Boolean",
    "symbol": "Symbol",
    "bigint": "BigInt",
    "object": "Object",
}

ARRAYS = frozenset(
    {
        "Array",
        "ReadonlyArray",
        "Set",
        "ReadonlySet",
        "Iterable",
        "IterableIterator",
        "Iterator",
        "Generator",
        "ArrayLike",
    }
)
PROMISES = frozenset({"Promise", "PromiseLike", "Awaited"})
SAME = frozenset(
    {"Readonly", "Partial", "Required", "NonNullable", "Omit", "Pick", "Awaited"}
)  # the members stay those of the argument
# methods of an array that give their callback an element first, and those that give back the same
# kind of array, or one element
EACH = frozenset(
    {
        "map",
        "forEach",
        "filter",
        "find",
        "findIndex",
        "findLast",
        "some",
        "every",
        "flatMap",
        "findLastIndex",
    }
)
SAME_ARRAY = frozenset(
    {"filter", "slice", "sort", "reverse", "concat", "splice", "toSorted", "toReversed", "fill"}
)
ELEMENT = frozenset({"find", "pop", "shift", "at", "findLast"})
RETURNS_STRING = frozenset(
    """
        toString trim trimStart trimEnd slice substring substr toLowerCase toUpperCase replace
        replaceAll padStart padEnd repeat charAt concat normalize join toFixed toISOString
        toLocaleString
    """.split()
)
