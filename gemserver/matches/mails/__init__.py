"""The contents of mails about matches: a function for each kind, listed in `gemserver/mail_kinds.py`.

`about_match` has what those about one match share.
"""
