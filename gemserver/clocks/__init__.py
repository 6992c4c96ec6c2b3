"""Time controls and deadlines: arithmetic only, no models."""
