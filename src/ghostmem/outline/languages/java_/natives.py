"""The classes of the packages of Java that are most often imported whole, as of version 17."""

PACKAGES = {
    "java.io": frozenset(
        """
        BufferedInputStream BufferedOutputStream BufferedReader BufferedWriter
        ByteArrayInputStream ByteArrayOutputStream CharArrayReader CharArrayWriter
        CharConversionException Closeable Console DataInput DataInputStream DataOutput
        DataOutputStream EOFException Externalizable File FileDescriptor FileFilter
        FileInputStream FileNotFoundException FileOutputStream FilePermission FileReader
        FileWriter FilenameFilter FilterInputStream FilterOutputStream FilterReader FilterWriter
        Flushable IOError IOException InputStream InputStreamReader InterruptedIOException
        InvalidClassException InvalidObjectException LineNumberInputStream LineNumberReader
        NotActiveException NotSerializableException ObjectInput ObjectInputFilter
        ObjectInputStream ObjectInputValidation ObjectOutput ObjectOutputStream
        ObjectStreamClass ObjectStreamConstants ObjectStreamException ObjectStreamField
        OptionalDataException OutputStream OutputStreamWriter PipedInputStream PipedOutputStream
        PipedReader PipedWriter PrintStream PrintWriter PushbackInputStream PushbackReader
        RandomAccessFile Reader SequenceInputStream Serial Serializable SerializablePermission
        StreamCorruptedException StreamTokenizer StringBufferInputStream StringReader
        StringWriter SyncFailedException UTFDataFormatException UncheckedIOException
        UnsupportedEncodingException WriteAbortedException Writer
    """.split()
    ),
    "java.lang": frozenset(
        """
        AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException
        ArrayStoreException AssertionError AutoCloseable Boolean BootstrapMethodError Byte
        CharSequence Character Class ClassCastException ClassCircularityError ClassFormatError
        ClassLoader ClassNotFoundException ClassValue CloneNotSupportedException Cloneable
        Comparable Compiler Deprecated Double Enum EnumConstantNotPresentException Error
        Exception ExceptionInInitializerError Float FunctionalInterface IllegalAccessError
        IllegalAccessException IllegalArgumentException IllegalCallerException
        IllegalMonitorStateException IllegalStateException IllegalThreadStateException
        IncompatibleClassChangeError IndexOutOfBoundsException InheritableThreadLocal
        InstantiationError InstantiationException Integer InternalError InterruptedException
        Iterable LayerInstantiationException LinkageError Long Math Module ModuleLayer
        NegativeArraySizeException NoClassDefFoundError NoSuchFieldError NoSuchFieldException
        NoSuchMethodError NoSuchMethodException NullPointerException Number
        NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder
        ProcessHandle Readable Record ReflectiveOperationException Runnable Runtime
        RuntimeException RuntimePermission SafeVarargs SecurityException SecurityManager Short
        StackOverflowError StackTraceElement StackWalker StrictMath String StringBuffer
        StringBuilder StringIndexOutOfBoundsException SuppressWarnings System Thread ThreadDeath
        ThreadGroup ThreadLocal Throwable TypeNotPresentException UnknownError
        UnsatisfiedLinkError UnsupportedClassVersionError UnsupportedOperationException
        VerifyError VirtualMachineError Void
    """.split()
    ),
    "java.lang.annotation": frozenset(
        """
        Annotation AnnotationFormatError AnnotationTypeMismatchException Documented ElementType
        IncompleteAnnotationException Inherited Native Repeatable Retention RetentionPolicy
        Target
    """.split()
    ),
    "java.lang.invoke": frozenset(
        """
        CallSite ConstantBootstraps ConstantCallSite LambdaConversionException LambdaMetafactory
        MethodHandle MethodHandleInfo MethodHandleProxies MethodHandles MethodType
        MutableCallSite SerializedLambda StringConcatException StringConcatFactory SwitchPoint
        TypeDescriptor VarHandle VolatileCallSite WrongMethodTypeException
    """.split()
    ),
    "java.lang.reflect": frozenset(
        """
        AccessibleObject AnnotatedArrayType AnnotatedElement AnnotatedParameterizedType
        AnnotatedType AnnotatedTypeVariable AnnotatedWildcardType Array Constructor Executable
        Field GenericArrayType GenericDeclaration GenericSignatureFormatError
        InaccessibleObjectException InvocationHandler InvocationTargetException
        MalformedParameterizedTypeException MalformedParametersException Member Method Modifier
        Parameter ParameterizedType Proxy RecordComponent ReflectPermission Type TypeVariable
        UndeclaredThrowableException WildcardType
    """.split()
    ),
    "java.math": frozenset("""BigDecimal BigInteger MathContext RoundingMode""".split()),
    "java.net": frozenset(
        """
        Authenticator BindException CacheRequest CacheResponse ConnectException ContentHandler
        ContentHandlerFactory CookieHandler CookieManager CookiePolicy CookieStore
        DatagramPacket DatagramSocket DatagramSocketImpl DatagramSocketImplFactory FileNameMap
        HttpCookie HttpRetryException HttpURLConnection IDN Inet4Address Inet6Address
        InetAddress InetSocketAddress InterfaceAddress JarURLConnection MalformedURLException
        MulticastSocket NetPermission NetworkInterface NoRouteToHostException
        PasswordAuthentication PortUnreachableException ProtocolException ProtocolFamily Proxy
        ProxySelector ResponseCache SecureCacheResponse ServerSocket Socket SocketAddress
        SocketException SocketImpl SocketImplFactory SocketOption SocketOptions SocketPermission
        SocketTimeoutException StandardProtocolFamily StandardSocketOptions URI
        URISyntaxException URL URLClassLoader URLConnection URLDecoder URLEncoder URLPermission
        URLStreamHandler URLStreamHandlerFactory UnixDomainSocketAddress UnknownHostException
        UnknownServiceException
    """.split()
    ),
    "java.nio": frozenset(
        """
        Buffer BufferOverflowException BufferUnderflowException ByteBuffer ByteOrder CharBuffer
        DoubleBuffer FloatBuffer IntBuffer InvalidMarkException LongBuffer MappedByteBuffer
        ReadOnlyBufferException ShortBuffer
    """.split()
    ),
    "java.nio.charset": frozenset(
        """CharacterCodingException Charset CharsetDecoder CharsetEncoder CoderMalfunctionError
        CoderResult         CodingErrorAction IllegalCharsetNameException
        MalformedInputException StandardCharsets
        UnmappableCharacterException UnsupportedCharsetException""".split()
    ),
    "java.nio.file": frozenset(
        """
        AccessDeniedException AccessMode AtomicMoveNotSupportedException
        ClosedDirectoryStreamException ClosedFileSystemException ClosedWatchServiceException
        CopyOption DirectoryIteratorException DirectoryNotEmptyException DirectoryStream
        FileAlreadyExistsException FileStore FileSystem FileSystemAlreadyExistsException
        FileSystemException FileSystemLoopException FileSystemNotFoundException FileSystems
        FileVisitOption FileVisitResult FileVisitor Files InvalidPathException LinkOption
        LinkPermission NoSuchFileException NotDirectoryException NotLinkException OpenOption
        Path PathMatcher Paths ProviderMismatchException ProviderNotFoundException
        ReadOnlyFileSystemException SecureDirectoryStream SimpleFileVisitor StandardCopyOption
        StandardOpenOption StandardWatchEventKinds WatchEvent WatchKey WatchService Watchable
    """.split()
    ),
    "java.security": frozenset(
        """
        AccessControlContext AccessControlException AccessController AlgorithmConstraints
        AlgorithmParameterGenerator AlgorithmParameterGeneratorSpi AlgorithmParameters
        AlgorithmParametersSpi AllPermission AuthProvider BasicPermission Certificate CodeSigner
        CodeSource CryptoPrimitive DigestException DigestInputStream DigestOutputStream
        DomainCombiner DomainLoadStoreParameter DrbgParameters GeneralSecurityException Guard
        GuardedObject Identity IdentityScope InvalidAlgorithmParameterException
        InvalidKeyException InvalidParameterException Key KeyException KeyFactory KeyFactorySpi
        KeyManagementException KeyPair KeyPairGenerator KeyPairGeneratorSpi KeyRep KeyStore
        KeyStoreException KeyStoreSpi MessageDigest MessageDigestSpi NoSuchAlgorithmException
        NoSuchProviderException PKCS12Attribute Permission PermissionCollection Permissions
        Policy PolicySpi Principal PrivateKey PrivilegedAction PrivilegedActionException
        PrivilegedExceptionAction ProtectionDomain Provider ProviderException PublicKey
        SecureClassLoader SecureRandom SecureRandomParameters SecureRandomSpi Security
        SecurityPermission Signature SignatureException SignatureSpi SignedObject Signer
        Timestamp URIParameter UnrecoverableEntryException UnrecoverableKeyException
        UnresolvedPermission
    """.split()
    ),
    "java.text": frozenset(
        """
        Annotation AttributedCharacterIterator AttributedString Bidi BreakIterator
        CharacterIterator ChoiceFormat CollationElementIterator CollationKey Collator
        CompactNumberFormat DateFormat DateFormatSymbols DecimalFormat DecimalFormatSymbols
        FieldPosition Format MessageFormat Normalizer NumberFormat ParseException ParsePosition
        RuleBasedCollator SimpleDateFormat StringCharacterIterator
    """.split()
    ),
    "java.time": frozenset(
        """
        Clock DateTimeException DayOfWeek Duration Instant InstantSource LocalDate LocalDateTime
        LocalTime Month MonthDay OffsetDateTime OffsetTime Period Year YearMonth ZoneId
        ZoneOffset ZonedDateTime
    """.split()
    ),
    "java.util": frozenset(
        """
        AbstractCollection AbstractList AbstractMap AbstractQueue AbstractSequentialList
        AbstractSet ArrayDeque ArrayList Arrays Base64 BitSet Calendar Collection Collections
        Comparator ConcurrentModificationException Currency Date Deque Dictionary
        DoubleSummaryStatistics DuplicateFormatFlagsException EmptyStackException EnumMap
        EnumSet Enumeration EventListener EventListenerProxy EventObject
        FormatFlagsConversionMismatchException Formattable FormattableFlags Formatter
        FormatterClosedException GregorianCalendar HashMap HashSet Hashtable HexFormat
        IdentityHashMap IllegalFormatCodePointException IllegalFormatConversionException
        IllegalFormatException IllegalFormatFlagsException IllegalFormatPrecisionException
        IllegalFormatWidthException IllformedLocaleException InputMismatchException
        IntSummaryStatistics InvalidPropertiesFormatException Iterator LinkedHashMap
        LinkedHashSet LinkedList List ListIterator ListResourceBundle Locale
        LongSummaryStatistics Map MissingFormatArgumentException MissingFormatWidthException
        MissingResourceException NavigableMap NavigableSet NoSuchElementException Objects
        Observable Observer Optional OptionalDouble OptionalInt OptionalLong PrimitiveIterator
        PriorityQueue Properties PropertyPermission PropertyResourceBundle Queue Random
        RandomAccess ResourceBundle Scanner ServiceConfigurationError ServiceLoader Set
        SimpleTimeZone SortedMap SortedSet Spliterator Spliterators SplittableRandom Stack
        StringJoiner StringTokenizer TimeZone Timer TimerTask TooManyListenersException TreeMap
        TreeSet UUID UnknownFormatConversionException UnknownFormatFlagsException Vector
        WeakHashMap
    """.split()
    ),
    "java.util.concurrent": frozenset(
        """
        AbstractExecutorService ArrayBlockingQueue BlockingDeque BlockingQueue
        BrokenBarrierException Callable CancellationException CompletableFuture
        CompletionException CompletionService CompletionStage ConcurrentHashMap
        ConcurrentLinkedDeque ConcurrentLinkedQueue ConcurrentMap ConcurrentNavigableMap
        ConcurrentSkipListMap ConcurrentSkipListSet CopyOnWriteArrayList CopyOnWriteArraySet
        CountDownLatch CountedCompleter CyclicBarrier DelayQueue Delayed Exchanger
        ExecutionException Executor ExecutorCompletionService ExecutorService Executors Flow
        ForkJoinPool ForkJoinTask ForkJoinWorkerThread Future FutureTask LinkedBlockingDeque
        LinkedBlockingQueue LinkedTransferQueue Phaser PriorityBlockingQueue RecursiveAction
        RecursiveTask RejectedExecutionException RejectedExecutionHandler RunnableFuture
        RunnableScheduledFuture ScheduledExecutorService ScheduledFuture
        ScheduledThreadPoolExecutor Semaphore SubmissionPublisher SynchronousQueue ThreadFactory
        ThreadLocalRandom ThreadPoolExecutor TimeUnit TimeoutException TransferQueue
    """.split()
    ),
    "java.util.concurrent.atomic": frozenset(
        """
        AtomicBoolean AtomicInteger AtomicIntegerArray AtomicIntegerFieldUpdater AtomicLong
        AtomicLongArray AtomicLongFieldUpdater AtomicMarkableReference AtomicReference
        AtomicReferenceArray AtomicReferenceFieldUpdater AtomicStampedReference
        DoubleAccumulator DoubleAdder LongAccumulator LongAdder
    """.split()
    ),
    "java.util.concurrent.locks": frozenset(
        """
        AbstractOwnableSynchronizer AbstractQueuedLongSynchronizer AbstractQueuedSynchronizer
        Condition Lock LockSupport ReadWriteLock ReentrantLock ReentrantReadWriteLock
        StampedLock
    """.split()
    ),
    "java.util.function": frozenset(
        """
        BiConsumer BiFunction BiPredicate BinaryOperator BooleanSupplier Consumer
        DoubleBinaryOperator DoubleConsumer DoubleFunction DoublePredicate DoubleSupplier
        DoubleToIntFunction DoubleToLongFunction DoubleUnaryOperator Function IntBinaryOperator
        IntConsumer IntFunction IntPredicate IntSupplier IntToDoubleFunction IntToLongFunction
        IntUnaryOperator LongBinaryOperator LongConsumer LongFunction LongPredicate LongSupplier
        LongToDoubleFunction LongToIntFunction LongUnaryOperator ObjDoubleConsumer
        ObjIntConsumer ObjLongConsumer Predicate Supplier ToDoubleBiFunction ToDoubleFunction
        ToIntBiFunction ToIntFunction ToLongBiFunction ToLongFunction UnaryOperator
    """.split()
    ),
    "java.util.regex": frozenset("""MatchResult Matcher Pattern PatternSyntaxException""".split()),
    "java.util.stream": frozenset(
        """BaseStream Collector Collectors DoubleStream IntStream LongStream
        Stream StreamSupport""".split()
    ),
}

NATIVE = ("java.", "javax.", "jdk.")
OBJECT = frozenset("clone equals finalize getClass hashCode notify notifyAll toString wait".split())

# of a collection, an optional, a stream: methods that give an element, the same again, or give
# their callback an element
ELEMENT = frozenset(
    """
    get getFirst getLast first last next previous orElse orElseThrow orElseGet poll peek pop
    remove element take pollFirst pollLast head iterator_next findOne
""".split()
)
SAME = frozenset(
    """
    stream parallelStream filter sorted distinct limit skip iterator listIterator subList
    findFirst findAny toList peek_stream or reversed spliterator
""".split()
)
EACH = frozenset(
    """
    forEach filter map flatMap anyMatch allMatch noneMatch removeIf ifPresent ifPresentOrElse
    mapToInt mapToLong mapToDouble mapToObj peek takeWhile dropWhile forEachOrdered
""".split()
)


def is_native(name: str) -> bool:
    """Say whether a qualified name belongs to Java itself."""
    return name.startswith(NATIVE)
