"""The headers of ISO C, POSIX and ISO C++, and the names that the most used ones declare."""

_C = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp "
    "signal stdalign stdarg stdatomic stdbit"
    " stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads time "
    "uchar wchar wctype"
)
_POSIX = (
    "aio arpa/inet cpio devctl dirent dlfcn endian fcntl fmtmsg fnmatch ftw glob grp iconv "
    "langinfo libgen libintl monetary"
    " mqueue ndbm net/if netdb netinet/in netinet/tcp nl_types poll pthread pwd regex "
    "sched search semaphore spawn strings"
    " stropts sys/ipc sys/mman sys/msg sys/resource sys/select sys/sem sys/shm sys/socket "
    "sys/stat sys/statvfs sys/time sys/times"
    " sys/types sys/uio sys/un sys/utsname sys/wait syslog tar termios trace ulimit unistd "
    "utime utmpx wordexp"
)
_CPP = (
    "algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv "
    "cfloat charconv chrono cinttypes ciso646"
    " climits clocale cmath codecvt compare complex concepts condition_variable coroutine "
    "csetjmp csignal cstdalign cstdarg"
    " cstdbool cstddef cstdint cstdio cstdlib cstring ctgmath ctime cuchar cwchar cwctype "
    "debugging deque exception execution"
    " expected filesystem flat_map flat_set format forward_list fstream functional future "
    "generator hazard_pointer"
    " initializer_list inplace_vector iomanip ios iosfwd iostream istream iterator latch "
    "limits linalg list locale map mdspan"
    " memory memory_resource mutex new numbers numeric optional ostream print queue random "
    "ranges ratio rcu regex"
    " scoped_allocator semaphore set shared_mutex simd source_location span spanstream "
    "sstream stack stacktrace stdexcept"
    " stdfloat stop_token streambuf string string_view strstream syncstream system_error "
    "text_encoding thread tuple type_traits"
    " typeindex typeinfo unordered_map unordered_set utility valarray variant vector version"
)
HEADERS = frozenset([f"{name}.h" for name in f"{_C} {_POSIX}".split()] + _CPP.split())

_NAMES = {
    "assert.h": "assert static_assert",
    "ctype.h": "isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct "
    "isspace isupper isxdigit tolower toupper",
    "errno.h": "errno EACCES EAGAIN EBADF EEXIST EINTR EINVAL EIO ENOENT ENOMEM ENOSYS "
    "EPERM EPIPE ERANGE ETIMEDOUT EWOULDBLOCK",
    "fcntl.h": "open openat creat fcntl O_RDONLY O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND "
    "O_EXCL O_NONBLOCK "
    "O_CLOEXEC F_GETFL F_SETFL",
    "inttypes.h": "imaxabs imaxdiv strtoimax strtoumax intmax_t uintmax_t",
    "limits.h": "CHAR_BIT CHAR_MAX CHAR_MIN INT_MAX INT_MIN LLONG_MAX LLONG_MIN LONG_MAX "
    "LONG_MIN PATH_MAX SCHAR_MAX "
    "SHRT_MAX UCHAR_MAX "
    "UINT_MAX ULLONG_MAX ULONG_MAX USHRT_MAX",
    "locale.h": "setlocale localeconv LC_ALL LC_CTYPE LC_NUMERIC",
    "math.h": "acos asin atan atan2 cbrt ceil cos cosh exp exp2 fabs floor fmax fmin fmod "
    "frexp hypot isfinite "
    "isinf isnan ldexp log "
    "log10 log2 lround modf pow round sin sinh sqrt tan tanh trunc HUGE_VAL INFINITY NAN M_PI",
    "setjmp.h": "jmp_buf setjmp longjmp sigsetjmp siglongjmp",
    "signal.h": "signal raise kill sigaction sigemptyset sigfillset sigaddset sigdelset "
    "sigprocmask sigset_t "
    "sig_atomic_t SIGABRT SIGALRM "
    "SIGCHLD SIGHUP SIGINT SIGKILL SIGPIPE SIGSEGV SIGTERM SIGUSR1 SIGUSR2 SIG_DFL SIG_IGN",
    "stdarg.h": "va_list va_start va_end va_arg va_copy",
    "stdbool.h": "bool true false",
    "stddef.h": "NULL size_t ptrdiff_t wchar_t offsetof max_align_t",
    "stdint.h": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t "
    "intptr_t uintptr_t intmax_t "
    "uintmax_t INT8_MAX "
    "INT16_MAX INT32_MAX INT64_MAX UINT8_MAX UINT16_MAX UINT32_MAX UINT64_MAX SIZE_MAX "
    "INT32_MIN INT64_MIN",
    "stdio.h": "FILE EOF BUFSIZ NULL SEEK_SET SEEK_CUR SEEK_END size_t stdin stdout stderr "
    "fclose fdopen feof ferror "
    "fflush fgetc fgets fileno fopen fprintf fputc fputs fread freopen fscanf fseek fseeko "
    "fsetpos ftell ftello fwrite getc"
    " getchar getdelim getline gets pclose perror popen printf putc putchar puts remove "
    "rename rewind scanf setbuf setvbuf"
    " snprintf sprintf sscanf tmpfile ungetc vfprintf vprintf vsnprintf vsprintf clearerr "
    "dprintf vdprintf fpos_t",
    "stdlib.h": "NULL EXIT_FAILURE EXIT_SUCCESS RAND_MAX size_t abort abs atexit atof atoi "
    "atol atoll bsearch calloc "
    "div exit free getenv labs llabs malloc mkstemp mkdtemp putenv qsort rand random "
    "realloc realpath setenv srand srandom strtod"
    " strtof strtol strtold strtoll strtoul strtoull system unsetenv posix_memalign "
    "aligned_alloc _Exit",
    "string.h": "NULL size_t memchr memcmp memcpy memmove memset stpcpy strcat strchr "
    "strcmp strcoll strcpy strcspn "
    "strdup strerror "
    "strerror_r strlen strncat strncmp strncpy strndup strnlen strpbrk strrchr strsignal "
    "strspn strstr "
    "strtok strtok_r strxfrm memccpy",
    "strings.h": "strcasecmp strncasecmp ffs bzero bcopy",
    "time.h": "NULL time_t clock_t tm timespec asctime clock clock_gettime ctime difftime "
    "gmtime gmtime_r localtime "
    "localtime_r mktime "
    "nanosleep strftime time CLOCK_REALTIME CLOCK_MONOTONIC CLOCKS_PER_SEC",
    "unistd.h": "access alarm chdir chown close dup dup2 execl execlp execv execve execvp "
    "fork fsync ftruncate getcwd "
    "getegid geteuid getgid getopt gethostname getpid getppid getuid isatty link lseek "
    "pause pipe pread pwrite read readlink"
    " rmdir setsid setuid sleep symlink sysconf truncate unlink usleep write _exit optarg "
    "optind opterr STDIN_FILENO"
    " STDOUT_FILENO STDERR_FILENO ssize_t pid_t off_t uid_t gid_t R_OK W_OK X_OK F_OK",
    "sys/types.h": "pid_t ssize_t off_t size_t uid_t gid_t mode_t dev_t ino_t time_t",
    "sys/stat.h": "stat fstat lstat chmod fchmod mkdir umask S_ISDIR S_ISREG S_ISLNK mode_t",
    "sys/socket.h": "socket bind listen accept connect send recv sendto recvfrom sendmsg "
    "recvmsg shutdown setsockopt getsockopt "
    "getsockname getpeername sockaddr socklen_t sockaddr_storage AF_INET AF_INET6 AF_UNIX "
    "SOCK_STREAM "
    "SOCK_DGRAM SOL_SOCKET SO_REUSEADDR",
    "sys/time.h": "gettimeofday timeval setitimer",
    "sys/wait.h": "wait waitpid WIFEXITED WEXITSTATUS WNOHANG",
    "sys/mman.h": "mmap munmap mprotect msync PROT_READ PROT_WRITE MAP_SHARED MAP_PRIVATE "
    "MAP_FAILED MAP_ANONYMOUS",
    "sys/select.h": "select fd_set FD_SET FD_ZERO FD_ISSET FD_CLR",
    "poll.h": "poll pollfd POLLIN POLLOUT",
    "dirent.h": "DIR dirent opendir readdir closedir",
    "pthread.h": "pthread_t pthread_create pthread_join pthread_mutex_t pthread_mutex_lock "
    "pthread_mutex_unlock "
    "pthread_mutex_init "
    "pthread_mutex_destroy pthread_cond_t pthread_cond_wait pthread_cond_signal "
    "pthread_cond_broadcast pthread_once pthread_self "
    "pthread_detach pthread_key_create pthread_getspecific pthread_setspecific",
    "netinet/in.h": "sockaddr_in sockaddr_in6 in_addr htons htonl ntohs ntohl INADDR_ANY",
    "arpa/inet.h": "inet_ntoa inet_ntop inet_pton inet_addr htons htonl ntohs ntohl",
    "netdb.h": "getaddrinfo freeaddrinfo gai_strerror getnameinfo gethostbyname addrinfo hostent",
    "dlfcn.h": "dlopen dlsym dlclose dlerror RTLD_LAZY RTLD_NOW",
    "regex.h": "regex_t regmatch_t regcomp regexec regfree regerror",
    "wchar.h": "wchar_t wcslen wcscpy wcscmp mbstowcs mbrtowc wcrtomb fwprintf wprintf mbstate_t",
}
NAMES = {header: frozenset(names.split()) for header, names in _NAMES.items()}

# what `using namespace std` makes visible, as far as it is common
STD = frozenset(
    "string wstring string_view vector map set list deque array pair tuple queue stack "
    "unordered_map unordered_set multimap"
    " multiset optional variant any function unique_ptr shared_ptr weak_ptr make_unique "
    "make_shared make_pair make_tuple move"
    " forward swap cout cerr cin clog endl ostream istream ofstream ifstream fstream "
    "stringstream ostringstream istringstream"
    " getline to_string stoi stol stod sort find find_if count accumulate min max "
    "transform for_each copy thread mutex lock_guard"
    " unique_lock scoped_lock atomic condition_variable future promise async exception "
    "runtime_error logic_error invalid_argument"
    " out_of_range get tie bitset byte initializer_list ios setw setprecision size_t "
    "int32_t uint32_t int64_t uint64_t"
    " uint8_t".split()
)
POINTERS = frozenset("unique_ptr shared_ptr optional weak_ptr reference_wrapper".split())
LISTS = frozenset(
    "vector list deque array set multiset unordered_set span queue stack initializer_list "
    "forward_list priority_queue".split()
)
MAPS = frozenset("map unordered_map multimap".split())
ELEMENTS = frozenset("at front back top value_or".split())


def header_of(name: str) -> str:
    """Return the C header that a header stands for: `cstdio` is `stdio.h`."""
    return f"{name[1:]}.h" if name.startswith("c") and f"{name[1:]}.h" in NAMES else name
