-- Whole new texts that a person decides about. Numbers that people type are counted in each mesh.
ALTER TABLE meshes
  ADD COLUMN last_proposal integer NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE TABLE proposals (
  mesh_id       uuid NOT NULL REFERENCES meshes,
  number        integer NOT NULL CHECK (number > 0),
  kind          text NOT NULL CHECK (kind IN ('rewrite', 'conclusion')),
  -- Its source is the session's document, unless root and path name a file under one of the configured roots.
  session_id    uuid REFERENCES sessions,
  root          text,
  path          text,
  topic         integer,
  -- Counted in the topic, or for conclusions in the session.
  revision      integer NOT NULL CHECK (revision > 0),
  base_version  integer CHECK (base_version >= 0),
  base_hash     text,
  -- Null once what it was made from was redacted: a proposal holds most of its base.
  content       text,
  added         integer NOT NULL CHECK (added >= 0),
  removed       integer NOT NULL CHECK (removed >= 0),
  note          text NOT NULL CHECK (char_length(note) <= 2000),
  -- Null for an agent's.
  proposed_by   text,
  job           integer,
  proposed_at   timestamptz(3) NOT NULL,
  status        text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'accepted', 'rejected', 'returned', 'replaced')),
  decided_by    text,
  decided_at    timestamptz(3),
  remark        text CHECK (char_length(remark) <= 2000),
  -- SHA-256 of the text that was accepted, which may be a part of the proposed one, or that one edited.
  accepted_content_hash bytea CHECK (octet_length(accepted_content_hash) = 32),
  accepted_version      integer CHECK (accepted_version > 0),
  accepted_commit       text,
  source        text NOT NULL GENERATED ALWAYS AS (
    CASE WHEN path IS NULL THEN 'session ' || session_id::text ELSE 'file ' || root || '/' || path END) STORED,
  PRIMARY KEY (mesh_id, number),
  FOREIGN KEY (mesh_id, job) REFERENCES jobs (mesh_id, number),
  FOREIGN KEY (mesh_id, topic) REFERENCES topics (mesh_id, number),
  CONSTRAINT proposals_by_topic UNIQUE (mesh_id, topic, revision),
  CHECK ((kind = 'conclusion') = (topic IS NULL)),
  CHECK ((root IS NULL) = (path IS NULL)),
  CHECK (session_id IS NOT NULL OR path IS NOT NULL),
  CHECK (kind <> 'conclusion' OR path IS NULL),
  CHECK ((path IS NULL) = (base_version IS NOT NULL)),
  CHECK ((path IS NULL) = (base_hash IS NULL)),
  CHECK (job IS NULL OR proposed_by IS NULL),
  CHECK (status <> 'open' OR content IS NOT NULL),
  CHECK ((status = 'open') = (decided_at IS NULL)),
  -- A newer one replaces it, and no person does.
  CHECK ((status IN ('open', 'replaced')) = (decided_by IS NULL)),
  CHECK (remark IS NULL OR status IN ('rejected', 'returned')),
  CHECK (status <> 'returned' OR remark IS NOT NULL),
  CHECK ((status = 'accepted') = (accepted_content_hash IS NOT NULL)),
  CHECK ((status = 'accepted' AND path IS NULL) = (accepted_version IS NOT NULL)),
  CHECK ((status = 'accepted' AND path IS NOT NULL) = (accepted_commit IS NOT NULL))
);
--> statement-breakpoint
CREATE UNIQUE INDEX proposals_open_of_topic ON proposals (mesh_id, topic) WHERE status = 'open';
--> statement-breakpoint
CREATE UNIQUE INDEX proposals_of_conclusion ON proposals (session_id, revision) WHERE kind = 'conclusion';
--> statement-breakpoint
CREATE UNIQUE INDEX proposals_open_conclusion ON proposals (session_id) WHERE kind = 'conclusion' AND status = 'open';
--> statement-breakpoint
CREATE INDEX proposals_by_session ON proposals (session_id, number DESC);
