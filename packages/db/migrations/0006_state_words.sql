-- Two teams of a session never have the same colour; joins take theirs while they hold the session.
CREATE UNIQUE INDEX teams_by_colour ON teams (session_id, colour);
--> statement-breakpoint
-- What a key and its value say, the key's words first. Of a long value the beginning counts: each change pays for it.
ALTER TABLE state_entries ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
  CASE WHEN value IS NULL THEN ''::tsvector
       ELSE setweight(to_tsvector('english', words_of(key)), 'A') || to_tsvector('english', words_of(left(value, 4000)))
  END) STORED;
--> statement-breakpoint
-- Entered at once, as memories are.
CREATE INDEX state_entries_by_words ON state_entries USING gin (words) WITH (fastupdate = off);
