"""The Common Expression Language as Kubernetes uses it in `x-kubernetes-validations`.

Own code, because no library for Python has Kubernetes' functions, optional values, two-variable macros, a type
checker that words its complaints as the server does, and the cost estimate by which the server refuses a rule.
A rule is parsed (`syntax`), checked against the types of its schema (`checker`, `types`), estimated (`cost`),
and compiled to closures (`compiler`); `rules` runs the rules of a whole schema over an object.
"""
