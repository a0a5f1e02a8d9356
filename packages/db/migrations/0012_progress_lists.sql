-- Progress entries are listed across projects and by session, and found by their tags.
CREATE INDEX progress_entries_newest ON progress_entries (mesh_id, created_at DESC, number DESC, id DESC);
--> statement-breakpoint
CREATE INDEX progress_entries_by_session ON progress_entries (mesh_id, session_id, created_at DESC, number DESC, id DESC)
  WHERE session_id IS NOT NULL;
--> statement-breakpoint
DROP INDEX progress_entries_by_words;
--> statement-breakpoint
ALTER TABLE progress_entries DROP COLUMN words;
--> statement-breakpoint
ALTER TABLE progress_entries ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
  setweight(to_tsvector('english', words_of(title)), 'A') || setweight(to_tsvector('english', words_of(VARIADIC tags)), 'A')
  || to_tsvector('english', words_of(content))) STORED;
--> statement-breakpoint
CREATE INDEX progress_entries_by_words ON progress_entries USING gin (words) WITH (fastupdate = off);
--> statement-breakpoint
-- Who started an audit session, as people call them; the id beside it is what their later calls are known by.
ALTER TABLE audit_sessions ADD COLUMN starter text;
--> statement-breakpoint
UPDATE audit_sessions a SET starter = p.name FROM persons p WHERE p.mesh_id = a.mesh_id AND p.person_id = a.started_by;
--> statement-breakpoint
UPDATE audit_sessions a SET starter = concat_ws('/', t.name, p.name)
FROM peers p JOIN teams t ON t.session_id = p.session_id AND t.team_id = p.team_id
WHERE p.peer_id = a.started_by;
