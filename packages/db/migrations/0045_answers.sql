-- The answers to an agent's questions, in the order of the questions in the request's input.
ALTER TABLE approvals ADD COLUMN answers text[];
--> statement-breakpoint
ALTER TABLE approvals ADD CONSTRAINT approvals_answers_allow CHECK (answers IS NULL OR state = 'allowed');
