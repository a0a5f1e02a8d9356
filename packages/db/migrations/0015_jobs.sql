-- Runs of headless agents. Numbers that people type are counted in each mesh.
ALTER TABLE meshes
  ADD COLUMN last_job integer NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE TABLE jobs (
  mesh_id       uuid NOT NULL REFERENCES meshes,
  number        integer NOT NULL CHECK (number > 0),
  kind          text NOT NULL CHECK (kind IN ('conclude', 'incorporate', 'perspective')),
  -- Its source is the session's document, unless root and path name a file under one of the configured roots: then the session,
  -- if there is one, is where it was asked for.
  session_id    uuid REFERENCES sessions,
  root          text,
  path          text,
  topic_id      integer,
  persona_name  text,
  started_by    text NOT NULL,
  status        text NOT NULL DEFAULT 'queued'
                CHECK (status IN ('queued', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled')),
  created_at    timestamptz(3) NOT NULL,
  started_at    timestamptz(3),
  completed_at  timestamptz(3),
  exit_code     integer,
  error_tail    text CHECK (octet_length(error_tail) <= 4096),
  failure       text CHECK (failure IN ('unreachable', 'overgrown', 'exited', 'no_result', 'timed_out', 'restarted', 'lost')),
  -- What it made; written with that, by the job itself.
  result_kind   text CHECK (result_kind IN ('proposal', 'perspective', 'conclusion')),
  result_id     integer,
  -- Who runs it, and until when it may be believed to. Only who brings the number that was drawn when it was claimed may end it
  -- or write for it, and only while this holds.
  runner        text,
  fence         integer NOT NULL DEFAULT 0 CHECK (fence >= 0),
  lease_until   timestamptz(3),
  secret_hash   bytea UNIQUE CHECK (octet_length(secret_hash) = 32),
  source        text NOT NULL GENERATED ALWAYS AS (
    CASE WHEN path IS NULL THEN 'session ' || session_id::text ELSE 'file ' || root || '/' || path END) STORED,
  PRIMARY KEY (mesh_id, number),
  CHECK ((root IS NULL) = (path IS NULL)),
  CHECK (session_id IS NOT NULL OR path IS NOT NULL),
  CHECK ((kind = 'incorporate') = (topic_id IS NOT NULL)),
  CHECK ((kind = 'perspective') = (persona_name IS NOT NULL)),
  CHECK (kind <> 'conclude' OR path IS NULL),
  CHECK ((status IN ('queued', 'running')) = (completed_at IS NULL)),
  CHECK (status <> 'queued' OR started_at IS NULL),
  CHECK (status IN ('queued', 'cancelled') OR started_at IS NOT NULL),
  CHECK ((status IN ('failed', 'timed_out')) = (failure IS NOT NULL)),
  CHECK ((status = 'timed_out') = (failure IS NOT DISTINCT FROM 'timed_out')),
  CHECK (exit_code IS NULL OR completed_at IS NOT NULL),
  CHECK (status <> 'succeeded' OR error_tail IS NULL),
  CHECK (status <> 'succeeded' OR result_kind IS NOT NULL),
  CHECK ((result_kind IS NULL) = (result_id IS NULL)),
  CHECK ((status = 'running') = (lease_until IS NOT NULL)),
  CHECK ((status = 'running') = (secret_hash IS NOT NULL))
);
--> statement-breakpoint
-- Two agents at one source would write over each other.
CREATE UNIQUE INDEX jobs_one_in_flight ON jobs (mesh_id, source) WHERE status IN ('queued', 'running');
--> statement-breakpoint
CREATE INDEX jobs_in_flight ON jobs (status, created_at) WHERE status IN ('queued', 'running');
--> statement-breakpoint
CREATE INDEX jobs_by_source ON jobs (mesh_id, source, number DESC);
--> statement-breakpoint
CREATE INDEX jobs_by_session ON jobs (session_id, number DESC);
