"""What every Rust program sees without importing it, and what methods of the standard library give
back.
"""

ROOTS = frozenset({"std", "core", "alloc", "proc_macro", "test"})
PRIMITIVES = frozenset(
    "bool char str i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64".split()
)

_PRELUDE = {
    "std::option": "Option",
    "std::result": "Result",
    "std::string": "String ToString",
    "std::vec": "Vec",
    "std::boxed": "Box",
    "std::borrow": "ToOwned",
    "std::clone": "Clone",
    "std::cmp": "PartialEq PartialOrd Eq Ord",
    "std::convert": "AsRef AsMut Into From TryFrom TryInto",
    "std::default": "Default",
    "std::iter": "Iterator IntoIterator Extend DoubleEndedIterator ExactSizeIterator FromIterator",
    "std::marker": "Copy Send Sized Sync Unpin",
    "std::mem": "drop",
    "std::fmt": "",
    "std::ops": "Drop Fn FnMut FnOnce",
}
PRELUDE = {name: f"{path}::{name}" for path, names in _PRELUDE.items() for name in names.split()}
DERIVED = {
    "clone": "std::clone::Clone",
    "default": "std::default::Default",
    "eq": "std::cmp::PartialEq",
    "partial_cmp": "std::cmp::PartialOrd",
    "cmp": "std::cmp::Ord",
    "hash": "std::hash::Hash",
    "fmt": "std::fmt::Debug",
}
DERIVABLE = {
    path.rsplit("::", 1)[-1]: path
    for path in (*DERIVED.values(), "std::cmp::Eq", "std::marker::Copy")
}
VARIANTS = {
    "Some": "std::option::Option",
    "None": "std::option::Option",
    "Ok": "std::result::Result",
    "Err": "std::result::Result",
}
MACROS = frozenset(
    "assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert "
    "debug_assert_eq debug_assert_ne env eprint"
    " eprintln file format format_args include include_bytes include_str line matches "
    "module_path option_env panic print println"
    " stringify thread_local todo try unimplemented unreachable vec write writeln".split()
)

# by the last part of a type's name
POINTERS = frozenset(
    "Box Rc Arc Cow Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard Pin "
    "ManuallyDrop LazyLock Lazy".split()
)
HOLDERS = frozenset("Option Result".split())
LISTS = frozenset(
    "Vec VecDeque HashSet BTreeSet BinaryHeap LinkedList Iter IntoIter Peekable".split()
)
MAPS = frozenset("HashMap BTreeMap".split())
CELLS = frozenset("Mutex RwLock RefCell Cell OnceCell OnceLock UnsafeCell".split())

OPENS = frozenset(
    "unwrap expect unwrap_or unwrap_or_default unwrap_or_else unwrap_unchecked".split()
)
KEEPS = frozenset(
    "as_ref as_mut as_deref as_deref_mut cloned copied take filter or or_else map_err "
    "context with_context clone to_owned by_ref "
    "rev skip step_by peekable chain fuse borrow borrow_mut as_slice as_mut_slice iter "
    "iter_mut into_iter to_vec replace "
    "inspect sorted with_capacity".split()
)
ITERATES = frozenset("iter iter_mut into_iter drain".split())
SELECTS = frozenset(
    "get get_mut first last first_mut last_mut pop pop_front pop_back front back next peek "
    "nth min max find remove".split()
)
LOCKS = frozenset("lock read write try_lock try_borrow try_borrow_mut".split())
