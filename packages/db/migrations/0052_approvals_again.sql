-- A command that a person has allowed for the rest of the agent's launch. The row of that answer is the permission: it ends
-- when `again` is false.
ALTER TABLE approvals
  -- SHA-256 of the launch, the tool, the command and the folder, if the command may be allowed again.
  ADD COLUMN repeat_hash text CHECK (repeat_hash ~ '^[0-9a-f]{64}$'),
  ADD COLUMN again boolean NOT NULL DEFAULT false,
  -- The approval whose answer allowed this one.
  ADD COLUMN allowed_by integer,
  ADD CONSTRAINT approvals_again_are_allowed CHECK (NOT again OR (state = 'allowed' AND repeat_hash IS NOT NULL));
--> statement-breakpoint
CREATE INDEX approvals_again ON approvals (session_id, peer_id) WHERE again;
