; C#: namespaces, types and their members, what a file uses, and base types.
(namespace_declaration name: (_) @name) @scope.package
((file_scoped_namespace_declaration name: (_) @name) @scope.package (#set! until "end"))

(using_directive name: (_) @alias (_) @path .) @import
((using_directive "global" (_) @path .) @import (#set! star) (#set! global))
((using_directive (_) @path .) @import (#set! star))

(interface_declaration name: (_) @name (type_parameter_list) @parameters) @definition.interface
(interface_declaration name: (_) @name) @definition.interface
([
  (class_declaration name: (_) @name (type_parameter_list) @parameters)
  (struct_declaration name: (_) @name (type_parameter_list) @parameters)
  (record_declaration name: (_) @name (type_parameter_list) @parameters)
  (delegate_declaration name: (_) @name (type_parameter_list) @parameters)
] @definition.type)
([
  (class_declaration name: (_) @name)
  (struct_declaration name: (_) @name)
  (record_declaration name: (_) @name)
  (delegate_declaration name: (_) @name)
  (enum_declaration name: (_) @name)
] @definition.type)

([
  (method_declaration (explicit_interface_specifier) @qualifier name: (_) @name)
  (indexer_declaration (explicit_interface_specifier) @qualifier "this" @name)
] @definition.method)
((indexer_declaration) @definition.method (#set! name "this[]"))
((operator_declaration operator: _ @name) @definition.method (#set! name "operator %"))
((destructor_declaration name: (_) @name) @definition.method (#set! name "~%"))
([
  (method_declaration name: (_) @name)
  (constructor_declaration name: (_) @name)
] @definition.method)
([
  (property_declaration (explicit_interface_specifier) @qualifier name: (_) @name)
  (event_declaration (explicit_interface_specifier) @qualifier name: (_) @name)
  (property_declaration name: (_) @name)
  (event_declaration name: (_) @name)
] @definition.field)
(enum_member_declaration name: (_) @name) @definition.constant
(field_declaration
  (modifier) @modifier
  (variable_declaration (variable_declarator name: (_) @name) @definition.constant)
  (#eq? @modifier "const"))
(field_declaration
  (variable_declaration (variable_declarator name: (_) @name) @definition.field))
(event_field_declaration
  (variable_declaration (variable_declarator name: (_) @name) @definition.field))
(record_declaration (parameter_list (parameter name: (_) @name) @definition.field))

[(block) (arrow_expression_clause) (accessor_list) (attribute_list)] @scope.opaque

; only the first base of a class can be a class; an interface is called I and a capital by convention
(interface_declaration (base_list (_) @base.extends)) @of
(struct_declaration (base_list (_) @base.implements)) @of
(record_declaration "struct" (base_list (_) @base.implements)) @of
(_ (base_list (primary_constructor_base_type type: (_) @base.extends))) @of
([
  (class_declaration (base_list [(identifier) (qualified_name) (generic_name)] @base.implements))
  (record_declaration (base_list [(identifier) (qualified_name) (generic_name)] @base.implements))
] @of (#match? @base.implements "^([^<]*[.])?I[A-Z]"))
([
  (class_declaration (base_list . [(identifier) (qualified_name) (generic_name)
    (alias_qualified_name)] @base.extends))
  (record_declaration (base_list . [(identifier) (qualified_name) (generic_name)
    (alias_qualified_name)] @base.extends))
] @of)
([
  (class_declaration (base_list [(identifier) (qualified_name) (generic_name)
    (alias_qualified_name)] @base.implements))
  (record_declaration (base_list [(identifier) (qualified_name) (generic_name)
    (alias_qualified_name)] @base.implements))
] @of)
