-- Concluded sessions whose messages and earlier document versions are kept on an object storage (ARCHIVE). The session, its head,
-- roster, state, heads and tiles stay.

-- Since when the rows of a feed are elsewhere. With the feed's own row, so that who holds that knows it.
ALTER TABLE feeds
  ADD COLUMN archived_at timestamptz(3),
  ADD CONSTRAINT feeds_archived_when_closed CHECK (archived_at IS NULL OR closed_at IS NOT NULL);
--> statement-breakpoint
-- The objects of sessions: `<object>.zip`, the sealed bundle, and `<object>.rows`, every row as it was.
CREATE TABLE archives (
  session_id    uuid NOT NULL REFERENCES sessions,
  object        text NOT NULL,
  -- storing: they are being made, and not needed if the node that does is gone. leaving: they are read back and verified, the
  -- session is archived, and its rows are still here. away: these are gone. removing: the rows are here, the objects are to go.
  state         text NOT NULL CHECK (state IN ('storing', 'leaving', 'away', 'removing')),
  node_id       uuid NOT NULL,
  -- Of the database that made them. One that was restored from its backup leaves them to it.
  epoch         uuid NOT NULL,
  bundle_bytes  bigint,
  bundle_sha256 bytea CHECK (octet_length(bundle_sha256) = 32),
  rows_bytes    bigint,
  rows_sha256   bytea CHECK (octet_length(rows_sha256) = 32),
  archived_by   text,
  archived_at   timestamptz(3),
  PRIMARY KEY (session_id, object),
  CHECK (state NOT IN ('leaving', 'away') OR num_nulls(bundle_bytes, bundle_sha256, rows_bytes, rows_sha256, archived_by, archived_at) = 0)
);
--> statement-breakpoint
CREATE UNIQUE INDEX archives_in_force ON archives (session_id) WHERE state IN ('leaving', 'away');
--> statement-breakpoint
-- Feeds and histories of documents are append-only, but for what an archive has.
CREATE FUNCTION refuse_unless_archived() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM archives WHERE session_id = OLD.session_id AND state IN ('leaving', 'away')) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'integrity_constraint_violation';
END $$;
--> statement-breakpoint
CREATE TRIGGER messages_leave_archived BEFORE DELETE ON messages
  FOR EACH ROW EXECUTE FUNCTION refuse_unless_archived();
--> statement-breakpoint
CREATE TRIGGER document_versions_leave_archived BEFORE DELETE ON document_versions
  FOR EACH ROW EXECUTE FUNCTION refuse_unless_archived();
