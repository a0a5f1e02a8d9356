-- The last numbers given in a mesh. Who draws one holds the row until the end of the transaction, so that numbers are without
-- gaps and in the order of commits, which is the order that records are read and chained in: two of the same millisecond
-- have one, too.
CREATE TABLE audit_counters (
  mesh_id      uuid PRIMARY KEY REFERENCES meshes,
  last_session bigint NOT NULL DEFAULT 0 CHECK (last_session >= 0),
  last_record  bigint NOT NULL DEFAULT 0 CHECK (last_record >= 0)
);
--> statement-breakpoint
CREATE TABLE audit_sessions (
  mesh_id      uuid NOT NULL REFERENCES meshes,
  session_id   text NOT NULL,
  number       bigint NOT NULL CHECK (number > 0),
  intent       text NOT NULL,
  -- Whatever its starter calls the task; there is no table of them.
  task_id      text,
  -- The peer or the person who started it: whoever records without naming a session means the last one.
  started_by   uuid NOT NULL,
  started_at   timestamptz(3) NOT NULL,
  -- How many records it was given. What is finalized are those that are there.
  record_count integer NOT NULL DEFAULT 0 CHECK (record_count >= 0),
  PRIMARY KEY (mesh_id, session_id),
  UNIQUE (mesh_id, number)
);
--> statement-breakpoint
CREATE INDEX audit_sessions_by_starter ON audit_sessions (mesh_id, started_by, number);
--> statement-breakpoint
CREATE TABLE thought_records (
  mesh_id     uuid NOT NULL REFERENCES meshes,
  number      bigint NOT NULL CHECK (number > 0),
  id          uuid NOT NULL,
  type        text NOT NULL CHECK (type IN ('plan', 'analysis', 'decision', 'reflection')),
  task_id     text NOT NULL,
  content     text NOT NULL,
  timestamp   timestamptz(3) NOT NULL,
  prev_hash   text NOT NULL CHECK (prev_hash ~ '^[0-9a-f]{64}$'),
  hash        text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  -- The audit session; no part of the hash.
  session_id  text,
  recorded_by text NOT NULL,
  PRIMARY KEY (mesh_id, number),
  UNIQUE (mesh_id, id),
  FOREIGN KEY (mesh_id, session_id) REFERENCES audit_sessions,
  -- A chain has one record behind each: it never forks, whoever writes.
  UNIQUE (mesh_id, task_id, prev_hash)
);
--> statement-breakpoint
CREATE INDEX thought_records_by_task ON thought_records (mesh_id, task_id, number);
--> statement-breakpoint
CREATE INDEX thought_records_by_session ON thought_records (mesh_id, session_id, number);
--> statement-breakpoint
-- A session is finalized once, and stays so.
CREATE TABLE merkle_roots (
  mesh_id      uuid NOT NULL,
  session_id   text NOT NULL,
  root         text NOT NULL CHECK (root ~ '^[0-9a-f]{64}$'),
  record_count integer NOT NULL CHECK (record_count > 0),
  finalized_at timestamptz(3) NOT NULL,
  PRIMARY KEY (mesh_id, session_id),
  FOREIGN KEY (mesh_id, session_id) REFERENCES audit_sessions
);
