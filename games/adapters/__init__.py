"""Adapters that show a game to other libraries; each needs an extra of the distribution."""
