-- What was done in a project, and how. A project comes into being with its first entry; its row counts them, so that those who
-- log at once are put in an order, which the time alone would not do.
CREATE TABLE progress_projects (
  mesh_id     uuid NOT NULL REFERENCES meshes,
  project_id  text NOT NULL CHECK (project_id <> ''),
  name        text NOT NULL,
  created_at  timestamptz(3) NOT NULL,
  last_number bigint NOT NULL CHECK (last_number > 0),
  PRIMARY KEY (mesh_id, project_id)
);
--> statement-breakpoint
-- Entries are never changed but for their summary, which is made when one is first asked for.
CREATE TABLE progress_entries (
  mesh_id    uuid NOT NULL,
  id         text NOT NULL CHECK (length(id) = 12),
  project_id text NOT NULL,
  number     bigint NOT NULL CHECK (number > 0),
  title      text NOT NULL,
  content    text NOT NULL CHECK (length(content) <= 10000),
  summary    text CHECK (length(summary) <= 500),
  tags       text[] NOT NULL,
  -- As whom the agent spoke of itself, and who the broker knows it was.
  agent_id   text,
  logged_by  text NOT NULL,
  -- Null for a person who was in no session.
  session_id uuid,
  created_at timestamptz(3) NOT NULL,
  -- Title and tags without case, folded by the broker: what PostgreSQL takes for the same letter differs between servers.
  title_key  text NOT NULL,
  tag_keys   text[] NOT NULL,
  words      tsvector NOT NULL GENERATED ALWAYS AS (
    setweight(to_tsvector('english', words_of(title)), 'A') || to_tsvector('english', words_of(content))) STORED,
  PRIMARY KEY (mesh_id, id),
  FOREIGN KEY (mesh_id, project_id) REFERENCES progress_projects
);
--> statement-breakpoint
CREATE INDEX progress_entries_by_time ON progress_entries (mesh_id, project_id, created_at DESC, number DESC);
--> statement-breakpoint
-- Entered at once: what waits in a list of its own would be read through by each search.
CREATE INDEX progress_entries_by_words ON progress_entries USING gin (words) WITH (fastupdate = off);
