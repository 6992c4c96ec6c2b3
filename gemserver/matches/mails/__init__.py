"""What the mails about matches say: a function per kind, named in `settings.MAIL_KINDS`."""
