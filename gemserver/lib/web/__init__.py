"""Requests and answers of the web, beside its pages."""
