"""Formats of dates by language, where they differ from the patterns in templates (`settings.FORMAT_MODULE_PATH`)."""
