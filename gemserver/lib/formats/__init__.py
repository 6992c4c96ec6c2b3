"""How languages write dates, where that differs from the patterns in templates (`settings.FORMAT_MODULE_PATH`)."""
