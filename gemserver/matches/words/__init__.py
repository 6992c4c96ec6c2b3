"""Sentences about matches, so that pages, mails and logs say the same thing in the same words."""
