; Ruby: modules, classes, methods and constants, what is required, and what a class is made from.
((call
  !receiver method: (identifier) @method
  arguments: (argument_list . (string . (string_content) @path .))
  (#any-of? @method "require" "load")) @import (#set! file))
((call
  !receiver method: (identifier) @method
  arguments: (argument_list . (string . (string_content) @path .))
  (#eq? @method "require_relative")) @import (#set! file) (#set! relative))

(module name: (_) @name) @definition.module
(class name: (_) @name) @definition.type
((singleton_method name: (_) @name) @definition.function (#set! single))
(method name: (_) @name) @definition.function
(assignment
  left: [(constant) (scope_resolution)] @name
  right: (call receiver: (constant) @maker method: (identifier) @method
    block: (_ body: (_) @body))
  (#eq? @maker "Module") (#eq? @method "new")) @definition.module
(assignment
  left: [(constant) (scope_resolution)] @name
  right: (call receiver: (constant) @maker method: (identifier) @method)
  (#eq? @maker "Module") (#eq? @method "new")) @definition.module
(assignment
  left: [(constant) (scope_resolution)] @name
  right: (call receiver: (constant) @maker method: (identifier) @method
    block: (_ body: (_) @body))
  (#any-of? @maker "Class" "Struct" "Data") (#any-of? @method "new" "define")) @definition.type
(assignment
  left: [(constant) (scope_resolution)] @name
  right: (call receiver: (constant) @maker method: (identifier) @method)
  (#any-of? @maker "Class" "Struct" "Data") (#any-of? @method "new" "define")) @definition.type
(assignment left: [(constant) (scope_resolution)] @name right: (_)) @definition.constant
((assignment left: (global_variable) @name right: (_)) @definition.variable
  (#set! kind "variable") (#set! absolute))
(assignment left: (left_assignment_list [(constant) (scope_resolution)] @name) right: (_))
  @definition.constant
((assignment left: (left_assignment_list (global_variable) @name) right: (_)) @definition.variable
  (#set! kind "variable") (#set! absolute))
(call
  !receiver method: (identifier) @method
  arguments: (argument_list (simple_symbol) @definition.field @name)
  (#any-of? @method "attr_accessor" "attr_reader" "attr_writer")
  (#set! within "type"))

; what Class.new and its like make has its methods in a block; other blocks are code
(assignment right: (call receiver: (constant) @maker method: (identifier) @method
    block: (_) @scope.transparent)
  (#any-of? @maker "Class" "Module" "Struct" "Data") (#any-of? @method "new" "define"))
(singleton_class value: (self)) @scope.transparent
[(block) (do_block) (lambda) (singleton_class)] @scope.opaque

(class superclass: (superclass (_) @base.extends)) @of
(assignment
  left: [(constant) (scope_resolution)]
  right: (call receiver: (constant) @base.extends method: (identifier) @method)
  (#any-of? @base.extends "Struct" "Data") (#any-of? @method "new" "define")) @of
(assignment
  left: [(constant) (scope_resolution)]
  right: (call receiver: (constant) @maker arguments: (argument_list . (_) @base.extends))
  (#eq? @maker "Class")) @of
(call
  !receiver method: (identifier) @method
  arguments: (argument_list (_) @base.extends)
  (#any-of? @method "include" "extend" "prepend")
  (#not-eq? @base.extends "self")
  (#set! within "type"))
