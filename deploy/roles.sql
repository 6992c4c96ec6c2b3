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

-- Workers make and drop partitions by functions of the owner, which look whether they may.
GRANT EXECUTE ON FUNCTION notify_outboxmessage_make(text, timestamptz, timestamptz, bigint) TO gem;
GRANT EXECUTE ON FUNCTION inbox_inboundemail_make(text, timestamptz, timestamptz, bigint) TO gem;
GRANT EXECUTE ON FUNCTION matches_move_make(text, bigint, bigint, bigint) TO gem;
GRANT EXECUTE ON FUNCTION notify_outboxmessage_drop(text), inbox_inboundemail_drop(text), matches_move_drop(text) TO gem;
GRANT EXECUTE ON FUNCTION notify_outboxmessage_analyze(), inbox_inboundemail_analyze(), matches_move_analyze() TO gem;
