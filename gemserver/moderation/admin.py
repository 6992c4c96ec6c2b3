"""Registers all lists of the moderators' site, which are in `lists`."""

from gemserver.moderation.lists import audit, incoming, matches, outgoing, people, ratings, talk, texts

__all__ = ["audit", "incoming", "matches", "outgoing", "people", "ratings", "talk", "texts"]
