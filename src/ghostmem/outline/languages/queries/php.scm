; PHP: namespaces, types, functions and constants, what a file uses and includes, and base types.
(namespace_definition name: (_) @name body: (_)) @scope.package
((namespace_definition name: (_) @name) @scope.package (#set! until "end"))
(namespace_definition body: (_)) @scope.package

(namespace_use_declaration "function" (namespace_name) @prefix
  (namespace_use_group (namespace_use_clause [(name) (qualified_name)] @path) @import)
  (#set! kind "function"))
(namespace_use_declaration "const" (namespace_name) @prefix
  (namespace_use_group (namespace_use_clause [(name) (qualified_name)] @path) @import)
  (#set! kind "constant"))
(namespace_use_declaration (namespace_name) @prefix
  (namespace_use_group (namespace_use_clause "function" [(name) (qualified_name)] @path) @import)
  (#set! kind "function"))
(namespace_use_declaration (namespace_name) @prefix
  (namespace_use_group (namespace_use_clause "const" [(name) (qualified_name)] @path) @import)
  (#set! kind "constant"))
(namespace_use_declaration (namespace_name) @prefix
  (namespace_use_group (namespace_use_clause [(name) (qualified_name)] @path alias: (_) @alias) @import))
(namespace_use_declaration (namespace_name) @prefix
  (namespace_use_group (namespace_use_clause [(name) (qualified_name)] @path) @import))
(namespace_use_declaration (namespace_use_clause "function" [(name) (qualified_name)] @path) @import
  (#set! kind "function"))
(namespace_use_declaration (namespace_use_clause "const" [(name) (qualified_name)] @path) @import
  (#set! kind "constant"))
(namespace_use_declaration (namespace_use_clause [(name) (qualified_name)] @path alias: (_) @alias) @import)
(namespace_use_declaration (namespace_use_clause [(name) (qualified_name)] @path) @import)

; a path that is written out, also after __DIR__ and in parentheses
([
  (require_expression (binary_expression left: (_) @dir right: (_ . (string_content) @path .)))
  (require_once_expression (binary_expression left: (_) @dir right: (_ . (string_content) @path .)))
  (include_expression (binary_expression left: (_) @dir right: (_ . (string_content) @path .)))
  (include_once_expression (binary_expression left: (_) @dir right: (_ . (string_content) @path .)))
  (require_expression (parenthesized_expression
    (binary_expression left: (_) @dir right: (_ . (string_content) @path .))))
  (require_once_expression (parenthesized_expression
    (binary_expression left: (_) @dir right: (_ . (string_content) @path .))))
  (include_expression (parenthesized_expression
    (binary_expression left: (_) @dir right: (_ . (string_content) @path .))))
  (include_once_expression (parenthesized_expression
    (binary_expression left: (_) @dir right: (_ . (string_content) @path .))))
] @import
  (#any-of? @dir "__DIR__" "dirname(__FILE__)")
  (#set! file) (#set! relative) (#set! here))
([
  (require_expression [(string . (string_content) @path .) (encapsed_string . (string_content) @path .)])
  (require_once_expression [(string . (string_content) @path .) (encapsed_string . (string_content) @path .)])
  (include_expression [(string . (string_content) @path .) (encapsed_string . (string_content) @path .)])
  (include_once_expression [(string . (string_content) @path .) (encapsed_string . (string_content) @path .)])
  (require_expression (parenthesized_expression
    [(string . (string_content) @path .) (encapsed_string . (string_content) @path .)]))
  (require_once_expression (parenthesized_expression
    [(string . (string_content) @path .) (encapsed_string . (string_content) @path .)]))
  (include_expression (parenthesized_expression
    [(string . (string_content) @path .) (encapsed_string . (string_content) @path .)]))
  (include_once_expression (parenthesized_expression
    [(string . (string_content) @path .) (encapsed_string . (string_content) @path .)]))
] @import (#set! file) (#set! relative))

(interface_declaration name: (_) @name) @definition.interface
([
  (class_declaration name: (_) @name)
  (trait_declaration name: (_) @name)
  (enum_declaration name: (_) @name)
] @definition.type)
([
  (function_definition name: (_) @name body: (_) @body)
  (method_declaration name: (_) @name body: (_) @body)
  (method_declaration name: (_) @name)
] @definition.function)
(const_declaration (const_element . (_) @name) @definition.constant)
(enum_case name: (_) @name) @definition.constant
(property_element name: (_) @name) @definition.field
((property_promotion_parameter name: (_) @name) @definition.field (#set! within "type"))
((function_call_expression
  function: (_) @function
  arguments: (arguments . (argument (_ . (string_content) @name .)))
  (#any-of? @function "define" "\\define")) @definition.constant (#set! absolute))

[(anonymous_class) (anonymous_function) (arrow_function)] @scope.opaque

(_ (base_clause [(name) (qualified_name) (relative_name)] @base.extends)) @of
(_ (class_interface_clause [(name) (qualified_name) (relative_name)] @base.implements)) @of
((use_declaration [(name) (qualified_name) (relative_name)] @base.extends) (#set! within "type"))
