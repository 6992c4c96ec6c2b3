"""Clubs and their members, as actions, pages and mails find them."""
