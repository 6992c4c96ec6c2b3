"""Florentine Domino, a tile laying game of closed rooms (Ferdinand Hein)."""
