-- Named ways of reading. What is hashed is what an agent is told, so that a reading knows whether it would be told the same today.
CREATE TABLE personas (
  mesh_id    uuid NOT NULL REFERENCES meshes,
  -- The name without case, folded by the broker: what PostgreSQL takes for the same letter differs between servers.
  name_key   text NOT NULL CHECK (name_key <> ''),
  name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  prompt     text NOT NULL CHECK (octet_length(prompt) BETWEEN 1 AND 8192),
  hash       text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  version    integer NOT NULL CHECK (version > 0),
  -- Kept, so that what was read as it still has a name, and offered to nobody.
  retired    boolean NOT NULL DEFAULT false,
  -- Null for one that came with Merkle and was never changed.
  updated_by text,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (mesh_id, name_key)
);
--> statement-breakpoint
ALTER TABLE meshes
  ADD COLUMN last_perspective integer NOT NULL DEFAULT 0;
--> statement-breakpoint
-- What a persona's reading of a source came to: one for each text and each way of reading.
CREATE TABLE perspectives (
  mesh_id        uuid NOT NULL REFERENCES meshes,
  number         integer NOT NULL CHECK (number > 0),
  session_id     uuid REFERENCES sessions,
  root           text,
  path           text,
  source         text NOT NULL GENERATED ALWAYS AS (
    CASE WHEN path IS NULL THEN 'session ' || session_id::text ELSE 'file ' || root || '/' || path END) STORED,
  -- Of a document the version that was read, and of its text the SHA-256; of a file the hash that Git gives it.
  source_version integer CHECK (source_version >= 0),
  source_hash    text NOT NULL CHECK (source_hash ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'),
  persona_key    text NOT NULL,
  persona_hash   text NOT NULL CHECK (persona_hash ~ '^[0-9a-f]{64}$'),
  content        text NOT NULL CHECK (octet_length(content) BETWEEN 1 AND 65536),
  job            integer NOT NULL,
  made_at        timestamptz(3) NOT NULL,
  PRIMARY KEY (mesh_id, number),
  UNIQUE (mesh_id, source, source_hash, persona_hash),
  FOREIGN KEY (mesh_id, persona_key) REFERENCES personas (mesh_id, name_key),
  FOREIGN KEY (mesh_id, job) REFERENCES jobs (mesh_id, number),
  CHECK ((root IS NULL) = (path IS NULL)),
  CHECK (session_id IS NOT NULL OR path IS NOT NULL),
  CHECK ((path IS NULL) = (source_version IS NOT NULL))
);
--> statement-breakpoint
CREATE INDEX perspectives_by_persona ON perspectives (mesh_id, source, persona_key, made_at DESC);
