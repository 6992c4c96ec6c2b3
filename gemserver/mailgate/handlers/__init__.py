"""Handlers of the commands in mails, by topic: one registry in each module."""
