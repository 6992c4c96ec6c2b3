"""What moderators do: one module per kind of subject, each action audited with its reason."""
