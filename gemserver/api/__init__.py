"""The face that programs see: `/api/v1/`, and the pages that describe it (docs/decisions/api.md)."""
