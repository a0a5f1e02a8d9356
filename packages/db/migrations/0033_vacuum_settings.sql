-- When autovacuum looks at a table. PostgreSQL waits until a fifth of a table has changed, or been added: in one that only grows
-- that is once in two million messages, until when no index-only scan is one and the planner knows of none of it; and the
-- freezing that was put off comes all at once.
ALTER TABLE messages SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE message_words SET (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0.02);
--> statement-breakpoint
ALTER TABLE document_versions SET (autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);
--> statement-breakpoint
-- Rows that are changed again and again, or live for a day: freed early they are few, and their indexes stay small.
ALTER TABLE feeds SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500);
--> statement-breakpoint
ALTER TABLE peers SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, fillfactor = 80);
--> statement-breakpoint
ALTER TABLE sessions SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 500, fillfactor = 90);
--> statement-breakpoint
ALTER TABLE documents SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
--> statement-breakpoint
ALTER TABLE state_entries SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
--> statement-breakpoint
ALTER TABLE idempotent_results SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
--> statement-breakpoint
ALTER TABLE receipts SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);
