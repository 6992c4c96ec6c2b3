"""All lists of the moderators' site, and none besides: they stand in `lists`."""

from gemserver.moderation.lists import audit, incoming, matches, outgoing, people, talk

__all__ = ["audit", "incoming", "matches", "outgoing", "people", "talk"]
