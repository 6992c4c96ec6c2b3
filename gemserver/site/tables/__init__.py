"""Opening and joining tables, invitations, practice matches."""
