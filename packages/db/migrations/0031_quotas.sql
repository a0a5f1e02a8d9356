-- What a mesh may hold, by kind; a kind that is not there is not bounded.
ALTER TABLE meshes ADD COLUMN quotas jsonb NOT NULL DEFAULT '{}';
--> statement-breakpoint
-- The bytes of a session's messages and document versions, up to where they have been counted; kept of meshes with a quota
-- for bytes alone, and never counted on the way of a post.
ALTER TABLE sessions
  ADD COLUMN bytes               bigint  NOT NULL DEFAULT 0,
  ADD COLUMN bytes_to_sequence   bigint  NOT NULL DEFAULT 0,
  ADD COLUMN bytes_to_version    integer NOT NULL DEFAULT 0;
