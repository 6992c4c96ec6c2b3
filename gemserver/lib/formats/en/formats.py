"""English dates where Django chooses the pattern, as in the moderators' lists: `24 Nov 2026 18:05`, as elsewhere."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y H:i"
TIME_FORMAT = "H:i"
