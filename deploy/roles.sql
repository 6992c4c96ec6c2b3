-- What the server's role, `gem` or the one that `--set server=NAME` names, may do with the tables of their owner. The
-- owner runs it after each `migrate`, as often as one likes. The audit log can be added to, neither changed nor emptied.

\if :{?server}
\else
\set server gem
\endif

GRANT USAGE ON SCHEMA public TO :"server";
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO :"server";
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO :"server";

REVOKE UPDATE, DELETE ON moderation_auditentry FROM :"server";
REVOKE DELETE ON moderation_audithead FROM :"server";
REVOKE UPDATE, DELETE ON moderation_auditanchor FROM :"server";
GRANT UPDATE (told_at) ON moderation_auditanchor TO :"server";
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM :"server";
