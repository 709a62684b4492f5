; Java: packages, classes and their members, imports, and what bodies say.
; Scopes come first: a node that opens one and binds a name binds it inside.
((package_declaration (_) @name) @scope.package (#set! until "end"))
(module_declaration) @scope.opaque
[
  (block) (constructor_body) (for_statement) (try_with_resources_statement) (switch_block)
  (switch_rule) (catch_clause) (static_initializer) (enhanced_for_statement) (lambda_expression)
] @scope.block

((import_declaration "static" (_) @path (asterisk)) @import (#set! star) (#set! static))
((import_declaration "static" (_) @path) @import (#set! static))
((import_declaration (_) @path (asterisk)) @import (#set! star))
(import_declaration (_) @path) @import

; definitions
(interface_declaration name: (_) @name) @definition.interface
(annotation_type_declaration name: (_) @name) @definition.interface
(class_declaration name: (_) @name) @definition.type
((enum_declaration name: (_) @name) @definition.type (#set! flag "enum"))
(record_declaration name: (_) @name) @definition.type
((object_creation_expression type: (_) @base (class_body) @definition.type)
  (#set! name "(anonymous)") (#set! base "either"))
((enum_constant body: (class_body) @definition.type) @within (#set! name "(anonymous)") (#set! base "own"))
(method_declaration type: (_) @type name: (_) @name) @definition.method
(annotation_type_element_declaration type: (_) @type name: (_) @name) @definition.method
((constructor_declaration name: (_) @name) @definition.method (#set! flag "constructor"))
((compact_constructor_declaration name: (_) @name) @definition.method
  (#set! flag "constructor compact"))
(field_declaration type: (_) @type . declarator: (variable_declarator name: (_) @name) .)
  @definition.field @declaration
(field_declaration type: (_) @type
  declarator: (variable_declarator name: (_) @name) @definition.field) @declaration
(constant_declaration type: (_) @type . declarator: (variable_declarator name: (_) @name) .)
  @definition.constant @declaration
(constant_declaration type: (_) @type
  declarator: (variable_declarator name: (_) @name) @definition.constant) @declaration
((enum_constant name: (_) @name) @definition.constant (#set! flag "enum"))
((record_declaration parameters: (formal_parameters
  (formal_parameter type: (_) @type name: (_) @name) @definition.field))
  (#set! flag "component"))

(_ (modifiers "static" @flag.static)) @of
(_ (modifiers "final" @flag.final)) @of
(_ (modifiers "default" @flag.default)) @of
(_ dimensions: (dimensions) @flag.array) @of

; base types
(superclass (generic_type . (_) @base.extends) @type)
(superclass [(type_identifier) (scoped_type_identifier)] @base.extends @type)
(super_interfaces (type_list (generic_type . (_) @base.implements) @type))
(super_interfaces
  (type_list [(type_identifier) (scoped_type_identifier)] @base.implements @type))
(extends_interfaces (type_list (generic_type . (_) @base.extends) @type))
(extends_interfaces
  (type_list [(type_identifier) (scoped_type_identifier)] @base.extends @type))

; names that bodies bind
(type_parameter . (_) @name (type_bound . (_) @type)) @binding.type
(type_parameter . (_) @name) @binding.type
(formal_parameter type: (_) @type name: (_) @name) @binding.parameter
(spread_parameter [(integral_type) (floating_point_type) (boolean_type) (type_identifier)
    (scoped_type_identifier) (generic_type) (array_type) (annotated_type)] @type
  (variable_declarator name: (_) @name)) @binding.parameter
(spread_parameter (variable_declarator) @flag.array) @of
(local_variable_declaration type: (_) @type
  declarator: (variable_declarator name: (_) @name value: (_) @value) @binding.local)
(local_variable_declaration type: (_) @type
  declarator: (variable_declarator name: (_) @name) @binding.local)
(enhanced_for_statement type: (_) @type name: (_) @name value: (_) @value) @binding.element
(resource type: (_) @type name: (_) @name value: (_) @value) @binding.local
(catch_formal_parameter (catch_type . (_) @type .) name: (_) @name) @binding.local
(catch_formal_parameter name: (_) @name) @binding.local
(type_pattern (_) @type . (identifier) @name .) @binding.local
(record_pattern_component . (_) @type (identifier) @name .) @binding.local
(instanceof_expression right: (_) @type name: (_) @name) @binding.local
(lambda_expression parameters: (identifier) @binding.parameter @name)
(inferred_parameters (identifier) @binding.parameter @name)

; names that stand for nothing
(labeled_statement (identifier) @skip)
(break_statement (identifier) @skip)
(continue_statement (identifier) @skip)
(switch_label (identifier) @skip)
(element_value_pair key: (identifier) @skip)
(scoped_type_identifier [(type_identifier) (scoped_type_identifier)] @skip)
(record_pattern (identifier) @skip)

; types
(annotation name: (_) @type.name)
(marker_annotation name: (_) @type.name)
(object_creation_expression type: (generic_type . (_) @skip))
(object_creation_expression type: [(type_identifier) (scoped_type_identifier)] @skip)
[(type_identifier) (scoped_type_identifier)] @type.name

; expressions
(method_invocation object: (_) @type (super) name: (_) @name arguments: (_) @arguments)
  @expression.super_call
(method_invocation object: (_) @target name: (_) @name arguments: (_) @arguments) @expression.call
(method_invocation name: (_) @name arguments: (_) @arguments) @expression.plain_call
((object_creation_expression type: (_) @type arguments: (_) @arguments (class_body))
  @expression.new (#set! type "body"))
(object_creation_expression type: (_) @type arguments: (_) @arguments) @expression.new
(explicit_constructor_invocation constructor: (_) @name arguments: (_) @arguments)
  @expression.constructor
((enum_constant arguments: (_) @arguments) @expression.enum_constant)
((enum_constant) @expression.enum_constant)
(method_reference . (_) @target (identifier) @name .) @expression.method
(field_access object: (_) @type field: (this)) @expression.cast
(field_access object: (_) @target field: (_) @name) @expression.member
(cast_expression type: (_) @type) @expression.cast
(array_creation_expression type: (_) @type) @expression.array
(array_access array: (_) @target) @expression.element
(class_literal . (_) @type) @expression.class
(ternary_expression consequence: (_) @part alternative: (_) @other) @expression.union
((binary_expression left: (_) @part operator: "+" right: (_) @other) @expression.sum)
(parenthesized_expression (_) @target) @expression.same
(assignment_expression left: (_) @left operator: "=" right: (_) @target) @expression.assign
(assignment_expression left: (_) @left right: (_) @target) @expression.update
(update_expression (_) @left) @expression.update
(lambda_expression body: (block)) @expression.function
(lambda_expression body: (_) @target) @expression.function
(this) @expression.this
(super) @expression.super
((string_literal) @expression.literal (#set! type "String"))
((character_literal) @expression.literal (#set! type "char"))
([(true) (false)] @expression.literal (#set! type "boolean"))
(([(decimal_integer_literal) (hex_integer_literal)] @expression.literal)
  (#not-match? @expression.literal "[lL]$") (#set! type "int"))
((null_literal) @expression.literal (#set! type "null"))
(identifier) @expression.name
