"""Sentences of ordinary mail, none of which may move a piece; `SOURCES.md` says where they come from."""
