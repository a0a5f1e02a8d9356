-- Rows that are changed again and again are changed within their page, whose dead ones go without autovacuum: no table grew under
-- churn with PostgreSQL's own settings, and those of ours let small ones grow to twice the size before they were looked at. What
-- grows for good keeps its settings.
ALTER TABLE feeds RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
--> statement-breakpoint
ALTER TABLE peers RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, fillfactor);
--> statement-breakpoint
ALTER TABLE sessions RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, fillfactor);
--> statement-breakpoint
ALTER TABLE documents RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
--> statement-breakpoint
ALTER TABLE state_entries RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
--> statement-breakpoint
ALTER TABLE idempotent_results RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
--> statement-breakpoint
ALTER TABLE receipts RESET (autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold);
