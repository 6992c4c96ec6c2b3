"""Processes of the server: settings from the environment, logs, signals, the broker, systemd."""
