"""The puzzle of the day: found in matches or brought by a game, answered on pages, by mail and by programs."""
