"""Server-side apply: field sets, schema-aware merge, and who manages what.

A port of the rules of structured-merge-diff and of apimachinery's `managedfields` (KEP-555), working on the
FieldsV1 form itself.
"""
