"""What people write: table talk, notes, reports."""
