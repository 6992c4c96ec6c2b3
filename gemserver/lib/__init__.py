"""Small pieces without models that every app may use."""
