NEEDED_HOURS: dict[tuple[str, int, bool], int] = {}
