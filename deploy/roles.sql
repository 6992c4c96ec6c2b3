-- What the server's role `gem` may do with the tables of their owner, `gem_owner`. The owner runs it after each
-- `migrate`, as often as one likes. The audit log can be added to, but neither changed nor emptied.

GRANT USAGE ON SCHEMA public TO gem;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO gem;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO gem;

REVOKE UPDATE, DELETE ON moderation_auditentry FROM gem;
REVOKE DELETE ON moderation_audithead FROM gem;
REVOKE UPDATE, DELETE ON moderation_auditanchor FROM gem;
GRANT UPDATE (told_at) ON moderation_auditanchor TO gem;
REVOKE INSERT, UPDATE, DELETE ON django_migrations FROM gem;
