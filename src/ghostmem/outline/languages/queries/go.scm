; The declarations of a Go file; what is inside them is lowered by go_/lowering.py.
(package_clause (package_identifier) @package)
(import_spec) @import
(function_declaration) @function
(method_declaration) @method
(source_file (type_declaration [(type_spec) (type_alias)] @type))
(source_file (var_declaration (var_spec) @var))
(source_file (var_declaration (var_spec_list (var_spec) @var)))
(source_file (const_declaration) @const)
[(ERROR) (MISSING)] @error
