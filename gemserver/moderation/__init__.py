"""The moderators' site: the state of the server, lists, timelines of matches, actions, the audit log."""
