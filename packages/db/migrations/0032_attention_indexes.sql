-- What waits for a human is looked for in all open sessions, of which few are held, have a budget or are near its end. Their
-- conditions name nothing that a post changes, so a post's update of its feed stays one within the page.
CREATE INDEX feeds_held ON feeds (session_id) WHERE held_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX feeds_with_budget ON feeds (session_id) WHERE message_budget > 0;
--> statement-breakpoint
CREATE INDEX sessions_near_budget ON sessions (mesh_id, session_id) WHERE tokens_near_at IS NOT NULL;
