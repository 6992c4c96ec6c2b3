"""Where Django looks for lists: all of them stand in `lists`."""

from gemserver.moderation.lists import audit, incoming, matches, outgoing, people, talk

__all__ = ["audit", "incoming", "matches", "outgoing", "people", "talk"]
