"""Mail that came in: rows, what became of them, and codes that are waited for."""
