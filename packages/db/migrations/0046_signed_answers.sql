-- The signature of a person's device over the answers, if the person's device made one.
ALTER TABLE approvals ADD COLUMN own jsonb;
--> statement-breakpoint
ALTER TABLE approvals ADD CONSTRAINT approvals_own_answers CHECK (own IS NULL OR answers IS NOT NULL);
