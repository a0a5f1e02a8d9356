-- The words of tasks, for search. A generated column would make PostgreSQL write every row again while a broker starts,
-- so a trigger sets them. Earlier tasks get theirs while the broker runs (SEARCH-12).
ALTER TABLE tasks ADD COLUMN words tsvector;
--> statement-breakpoint
CREATE FUNCTION set_task_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.words := setweight(to_tsvector('english', words_of(NEW.title)), 'A')
    || setweight(to_tsvector('english', words_of(VARIADIC NEW.labels)), 'A')
    || to_tsvector('english', words_of(NEW.text, NEW.result));
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER tasks_have_words BEFORE INSERT OR UPDATE OF title, labels, text, result ON tasks
  FOR EACH ROW EXECUTE FUNCTION set_task_words();
--> statement-breakpoint
CREATE INDEX tasks_by_words ON tasks USING gin (words) WITH (fastupdate = off);
--> statement-breakpoint
INSERT INTO settings (key, value)
SELECT 'words_refresh', '{"sessions": true, "memories": true, "state_entries": true, "progress_entries": true, "topic_messages": true, "document_words": true, "message_words": true}'
WHERE EXISTS (SELECT FROM tasks)
ON CONFLICT DO NOTHING;
