-- PostgreSQL's own parser keeps what stands together as one word (src/auth/login.ts, and in the locale C also “deploy”), and
-- does not part scripts that are written without spaces. Here words are letters and digits, a sign of those scripts is one by
-- itself, and everything else stands between words, on every server alike. `written` says how: \1 is what stands between,
-- \2 a sign.
CREATE FUNCTION words_apart(content text, written text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN regexp_replace(content,
  '([\u0001-/:-@[-`{-\u00A9\u00AB-\u00B4\u00B6-\u00B9\u00BB-\u00BF\u00D7\u00F7\u2000-\u2BFF\u2E00-\u2E7F\u3000-\u3004'
  '\u3008-\u3020\u3030\uE000-\uF8FF\uFE00-\uFE6F\uFF00-\uFF0F\uFF1A-\uFF20\uFF3B-\uFF40\uFF5B-\uFF65\uFFF0-\uFFFF'
  '\U0001F000-\U0001FAFF]+)|([\u3040-\u30FF\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\U00020000-\U0003FFFF])',
  written, 'g');
--> statement-breakpoint
-- The words of some texts, one after the other.
CREATE FUNCTION words_of(VARIADIC parts text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN words_apart(array_to_string(parts, ' '), ' \2 ');
--> statement-breakpoint
-- A text with each word that a query looks for as «word»; such marks of its own become ‹ and ›. All of it is marked, since
-- choosing a part would take ts_headline seconds for some texts. Control characters part the words meanwhile; any that the
-- text has itself are left out.
CREATE FUNCTION mark_words(content text, query tsquery) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN replace(replace(
  ts_headline('english', words_apart(translate(content, '«»', '‹›'), E'\u0001\\1\\2\u0001'), query,
              'StartSel=«, StopSel=», HighlightAll=true'),
  E'\u0001', ''), '»«', '');
--> statement-breakpoint
-- The same for the part of a long text in which `near`, a pattern for how the words begin, is found first: marking takes time
-- with the text's length. Where that pattern misleads, all of it is marked after all.
CREATE FUNCTION words_marked(content text, query tsquery, near text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
  SELECT CASE WHEN strpos(marked, '«') > 0 OR length(content) <= 8000
           THEN CASE WHEN start > 1 THEN '…' ELSE '' END || marked || CASE WHEN length(content) >= start + 8000 THEN '…' ELSE '' END
           ELSE mark_words(content, query) END
  FROM (SELECT start, mark_words(substr(content, start, 8000), query) AS marked
        FROM (SELECT CASE WHEN length(content) <= 8000 THEN 1
                     ELSE greatest(1, regexp_instr(content, near, 1, 1, 0, 'i') - 1000) END AS start OFFSET 0) s OFFSET 0) m;
END;
--> statement-breakpoint
CREATE TABLE memory_counters (
  mesh_id     uuid PRIMARY KEY REFERENCES meshes,
  last_number bigint NOT NULL CHECK (last_number > 0)
);
--> statement-breakpoint
-- What was remembered is never deleted: forgetting hides it.
CREATE TABLE memories (
  mesh_id       uuid NOT NULL REFERENCES meshes,
  number        bigint NOT NULL CHECK (number > 0),
  content       text NOT NULL CHECK (octet_length(content) <= 16384),
  tags          text[] NOT NULL,
  remembered_by text NOT NULL,
  -- Null for a person who was in no session.
  session_id    uuid,
  remembered_at timestamptz(3) NOT NULL,
  forgotten_by  text,
  forget_reason text,
  forgotten_at  timestamptz(3),
  words         tsvector NOT NULL GENERATED ALWAYS AS (
    setweight(to_tsvector('english', words_of(VARIADIC tags)), 'A') || to_tsvector('english', words_of(content))) STORED,
  PRIMARY KEY (mesh_id, number),
  CHECK ((forgotten_at IS NULL) = (forgotten_by IS NULL) AND (forgotten_at IS NULL) = (forget_reason IS NULL))
);
--> statement-breakpoint
-- Entered at once: what waits in a list of its own would be read through by each recall.
CREATE INDEX memories_by_words ON memories USING gin (words) WITH (fastupdate = off);
--> statement-breakpoint
CREATE INDEX memories_by_session ON memories (mesh_id, session_id, number);
--> statement-breakpoint
ALTER TABLE sessions ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
  setweight(to_tsvector('english', words_of(title, slug)), 'A') || to_tsvector('english', words_of(description))) STORED;
--> statement-breakpoint
CREATE INDEX sessions_by_words ON sessions USING gin (words);
--> statement-breakpoint
-- How far a session's feed and document have been read into the tables below. It is done when somebody searches, so that
-- posting a message costs nothing for it.
CREATE TABLE search_heads (
  session_id       uuid PRIMARY KEY REFERENCES sessions,
  last_sequence    bigint NOT NULL DEFAULT 0 CHECK (last_sequence >= 0),
  document_version integer NOT NULL DEFAULT 0 CHECK (document_version >= 0)
);
--> statement-breakpoint
CREATE TABLE message_words (
  session_id uuid NOT NULL,
  sequence   bigint NOT NULL,
  decision   boolean NOT NULL,
  posted_at  timestamptz(3) NOT NULL,
  words      tsvector NOT NULL,
  PRIMARY KEY (session_id, sequence)
);
--> statement-breakpoint
CREATE INDEX message_words_by_words ON message_words USING gin (words);
--> statement-breakpoint
-- A document in pieces: a tsvector holds 1 MB, and tells places apart up to the 16,383rd word.
CREATE TABLE document_words (
  session_id uuid NOT NULL,
  piece      integer NOT NULL CHECK (piece > 0),
  version    integer NOT NULL,
  content    text NOT NULL,
  words      tsvector NOT NULL,
  PRIMARY KEY (session_id, piece)
);
--> statement-breakpoint
CREATE INDEX document_words_by_words ON document_words USING gin (words);
