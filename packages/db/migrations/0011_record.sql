-- The sealed record: what signed heads of a session's feed and document are made from, and the one change that either allows.

-- The id that a message's entry in the record names: the session's own, unless it came from another broker.
ALTER TABLE sessions
  ADD COLUMN origin_id   uuid,
  ADD COLUMN imported_at timestamptz(3),
  ADD CONSTRAINT sessions_imported_whole CHECK ((origin_id IS NULL) = (imported_at IS NULL)),
  ADD CONSTRAINT sessions_imported_once UNIQUE (mesh_id, origin_id);
--> statement-breakpoint
-- A redacted message keeps the hash of what it said; without the salt that cannot be guessed.
ALTER TABLE messages
  ALTER COLUMN salt DROP NOT NULL,
  ADD COLUMN content_hash bytea CHECK (octet_length(content_hash) = 32),
  ADD CONSTRAINT messages_salted_or_redacted CHECK ((salt IS NULL) = (content_hash IS NOT NULL));
--> statement-breakpoint
-- The default draws a salt for each version that is there.
ALTER TABLE document_versions
  ALTER COLUMN content DROP NOT NULL,
  ADD COLUMN salt         bytea DEFAULT uuid_send(gen_random_uuid()) CHECK (octet_length(salt) = 16),
  ADD COLUMN content_hash bytea CHECK (octet_length(content_hash) = 32),
  ADD CONSTRAINT document_versions_salted_or_redacted CHECK ((salt IS NULL) = (content_hash IS NOT NULL)),
  ADD CONSTRAINT document_versions_redacted_whole CHECK ((salt IS NULL) = (content IS NULL));
--> statement-breakpoint
-- What a message's content becomes when it is redacted, as canonical JSON: what kind it was of, and for a private one how
-- long it was, since both stand in its entry.
CREATE FUNCTION redacted_content(type text, kind text, content text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN type = 'chat' AND content LIKE '{"private":true,"sealed":"%' THEN
      '{"bytes":' || char_length(split_part(content::json ->> 'sealed', '.', 4)) * 3 / 4 || ',"private":true,"redacted":true}'
    WHEN kind IS NULL THEN '{"redacted":true}'
    ELSE '{' || CASE type WHEN 'system' THEN '"event":' ELSE '"kind":' END || to_json(kind) || ',"redacted":true}'
  END
$$;
--> statement-breakpoint
-- Feeds and histories of documents stay append-only. The one change that is let through is a redaction: content to its
-- redacted form, the hash of it kept, the salt gone, and nothing else.
CREATE FUNCTION allow_redaction_alone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  redacted record := OLD;
BEGIN
  IF OLD.salt IS NOT NULL THEN
    redacted.content := CASE TG_TABLE_NAME
      WHEN 'messages' THEN redacted_content(to_jsonb(OLD) ->> 'type', to_jsonb(OLD) ->> 'kind', OLD.content) END;
    redacted.content_hash := sha256(OLD.salt || convert_to(OLD.content, 'UTF8'));
    redacted.salt := NULL;
    IF NEW IS NOT DISTINCT FROM redacted THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION '% is append-only: a row of it can be redacted, and not changed', TG_TABLE_NAME
    USING ERRCODE = 'integrity_constraint_violation';
END $$;
--> statement-breakpoint
DROP TRIGGER messages_are_append_only ON messages;
--> statement-breakpoint
CREATE TRIGGER messages_are_append_only BEFORE DELETE OR TRUNCATE ON messages
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER messages_change_by_redaction BEFORE UPDATE ON messages
  FOR EACH ROW EXECUTE FUNCTION allow_redaction_alone();
--> statement-breakpoint
CREATE TRIGGER document_versions_are_append_only BEFORE DELETE OR TRUNCATE ON document_versions
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
--> statement-breakpoint
CREATE TRIGGER document_versions_change_by_redaction BEFORE UPDATE ON document_versions
  FOR EACH ROW EXECUTE FUNCTION allow_redaction_alone();
--> statement-breakpoint
-- Complete tiles of a session's two trees: 256 hashes of leaves, or on the levels above of 256 tiles below, and their root.
-- They follow from what is stored, so it does not matter who writes one first.
CREATE TABLE record_tiles (
  session_id uuid NOT NULL REFERENCES sessions,
  log        text NOT NULL CHECK (log IN ('feed', 'document')),
  level      smallint NOT NULL CHECK (level >= 0),
  number     bigint NOT NULL CHECK (number >= 0),
  hashes     bytea NOT NULL CHECK (octet_length(hashes) = 8192),
  root       bytea NOT NULL CHECK (octet_length(root) = 32),
  PRIMARY KEY (session_id, log, level, number)
);
--> statement-breakpoint
-- Every head that was ever given out, so that the same question gets the same signed answer.
CREATE TABLE heads (
  session_id       uuid NOT NULL REFERENCES sessions,
  size             bigint NOT NULL CHECK (size >= 0),
  document_version integer NOT NULL CHECK (document_version >= 0),
  epoch            uuid NOT NULL,
  -- The id that it names: the session's own, or that of its origin.
  record_id        uuid NOT NULL,
  root             bytea NOT NULL CHECK (octet_length(root) = 32),
  document_hash    bytea CHECK (octet_length(document_hash) = 32),
  document_root    bytea NOT NULL CHECK (octet_length(document_root) = 32),
  at               timestamptz(3) NOT NULL,
  key_id           text NOT NULL CHECK (key_id ~ '^[0-9a-f]{32}$'),
  signature        bytea NOT NULL CHECK (octet_length(signature) = 64),
  -- Whether a conclusion signed it.
  sealed           boolean NOT NULL DEFAULT false,
  PRIMARY KEY (session_id, size, document_version),
  CHECK ((document_hash IS NULL) = (document_version = 0))
);
--> statement-breakpoint
CREATE INDEX heads_sealed ON heads (session_id, size) WHERE sealed;
--> statement-breakpoint
-- The public parts of all keys that heads of this database were signed with, in the order in which they came. The secret part
-- of the newest is in the home of each broker on it.
CREATE TABLE audit_keys (
  key_id     text PRIMARY KEY CHECK (key_id ~ '^[0-9a-f]{32}$'),
  number     integer NOT NULL UNIQUE CHECK (number > 0),
  public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
  since      timestamptz(3) NOT NULL,
  -- The key before it, and that key's signature over this one; a key without them is one that nobody vouched for.
  previous   text REFERENCES audit_keys,
  succession bytea CHECK (octet_length(succession) = 64),
  CHECK ((previous IS NULL) = (succession IS NULL))
);
--> statement-breakpoint
-- The keys of another broker, which signed the heads that came with an imported session.
CREATE TABLE origin_keys (
  session_id uuid NOT NULL REFERENCES sessions,
  key_id     text NOT NULL CHECK (key_id ~ '^[0-9a-f]{32}$'),
  public_key bytea NOT NULL CHECK (octet_length(public_key) = 32),
  since      timestamptz(3) NOT NULL,
  previous   text,
  succession bytea CHECK (octet_length(succession) = 64),
  PRIMARY KEY (session_id, key_id),
  CHECK ((previous IS NULL) = (succession IS NULL))
);
