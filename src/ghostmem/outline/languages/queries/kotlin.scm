; Kotlin: packages, types, functions and properties, imports and base types.
((package_header (_) @name) @scope.package (#set! until "end"))

((import (_) @path "*") @import (#set! star))
(import (_) @path (identifier) @alias) @import
(import (_) @path) @import

(class_declaration "interface" name: (_) @name) @definition.interface
(class_declaration name: (_) @name) @definition.type
(object_declaration name: (_) @name) @definition.type
(companion_object name: (_) @name) @definition.type
((companion_object) @definition.type (#set! name "Companion"))
(type_alias type: (_) @name) @definition.type
(function_declaration name: (_) @name) @definition.function
((secondary_constructor) @definition.method (#set! name "constructor"))
(enum_entry (identifier) @name) @definition.constant
(property_declaration
  (multi_variable_declaration (variable_declaration (identifier) @name) @definition.variable))
(property_declaration
  (modifiers (property_modifier) @modifier) (variable_declaration (identifier) @name)
  (#eq? @modifier "const")) @definition.constant
(property_declaration (variable_declaration (identifier) @name)) @definition.variable
(class_parameter ["val" "var"] . (identifier) @name) @definition.field

[(anonymous_initializer) (lambda_literal) (object_literal) (getter) (setter)] @scope.opaque

; a class is called; what is not called is an interface, or a class that secondary constructors call
(_ (delegation_specifiers (delegation_specifier
  (constructor_invocation (user_type) @base.extends)))) @of
(class_declaration "interface" (delegation_specifiers (delegation_specifier
  (user_type) @base.extends))) @of
(_ (delegation_specifiers (delegation_specifier (user_type) @base.implements))) @of
(_ (delegation_specifiers (delegation_specifier
  (explicit_delegation (user_type) @base.implements)))) @of
