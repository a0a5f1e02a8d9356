-- Threads of comments at a place of a text, or at all of it.
ALTER TABLE meshes
  ADD COLUMN last_topic integer NOT NULL DEFAULT 0;
--> statement-breakpoint
CREATE TABLE topics (
  mesh_id          uuid NOT NULL REFERENCES meshes,
  number           integer NOT NULL CHECK (number > 0),
  -- As with jobs: the session's document, unless root and path name a file.
  session_id       uuid REFERENCES sessions,
  root             text,
  path             text,
  status           text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
  title            text NOT NULL CHECK (title <> ''),
  opened_by        text NOT NULL,
  opened_at        timestamptz(3) NOT NULL,
  closed_by        text,
  closed_at        timestamptz(3),
  close_reason     text CHECK (close_reason IN ('resolved', 'accepted', 'withdrawn')),
  -- What was marked, with what stood before and behind it, as it then was; no quote for a topic about all of the text.
  quote            text CHECK (char_length(quote) BETWEEN 1 AND 2000),
  prefix           text NOT NULL DEFAULT '' CHECK (char_length(prefix) <= 64),
  suffix           text NOT NULL DEFAULT '' CHECK (char_length(suffix) <= 64),
  -- The text that it was opened on: a document by its version, a file by its hash.
  made_at_version  integer CHECK (made_at_version >= 0),
  made_at_hash     text,
  -- Where it was found for certain the last time, in UTF-16 units, and in which text. What is lost is looked for from there.
  place_at_version integer CHECK (place_at_version >= 0),
  place_at_hash    text,
  start_at         integer CHECK (start_at >= 0),
  end_at           integer,
  -- Up to which text it was looked for, and what came of it.
  found_at_version integer CHECK (found_at_version >= 0),
  found_at_hash    text,
  found            text CHECK (found IN ('exact', 'moved', 'reworded', 'lost')),
  last_sequence    integer NOT NULL DEFAULT 0,
  source           text NOT NULL GENERATED ALWAYS AS (
    CASE WHEN path IS NULL THEN 'session ' || session_id::text ELSE 'file ' || root || '/' || path END) STORED,
  PRIMARY KEY (mesh_id, number),
  CHECK ((root IS NULL) = (path IS NULL)),
  CHECK (session_id IS NOT NULL OR path IS NOT NULL),
  CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  CHECK ((closed_at IS NULL) = (closed_by IS NULL)),
  CHECK ((closed_at IS NULL) = (close_reason IS NULL)),
  CHECK ((path IS NULL) = (made_at_version IS NOT NULL)),
  CHECK ((path IS NULL) = (made_at_hash IS NULL)),
  CHECK ((quote IS NULL) = (found IS NULL)),
  CHECK ((quote IS NULL) = (start_at IS NULL)),
  CHECK ((quote IS NULL) = (end_at IS NULL)),
  CHECK (end_at > start_at),
  CHECK ((quote IS NULL OR path IS NOT NULL) = (place_at_version IS NULL)),
  CHECK ((quote IS NULL OR path IS NULL) = (place_at_hash IS NULL)),
  CHECK ((quote IS NULL OR path IS NOT NULL) = (found_at_version IS NULL)),
  CHECK ((quote IS NULL OR path IS NULL) = (found_at_hash IS NULL))
);
--> statement-breakpoint
CREATE INDEX topics_by_source ON topics (mesh_id, source, number DESC);
--> statement-breakpoint
-- Those that have to be looked for in each new text.
CREATE INDEX topics_with_places ON topics (mesh_id, source) WHERE status = 'open' AND quote IS NOT NULL;
--> statement-breakpoint
CREATE TABLE topic_messages (
  mesh_id      uuid NOT NULL,
  topic        integer NOT NULL,
  sequence     integer NOT NULL CHECK (sequence > 0),
  -- Neither for what the agent of a job says.
  team_id      uuid,
  person_id    uuid,
  author       text NOT NULL,
  author_human boolean NOT NULL DEFAULT false,
  text         text NOT NULL CHECK (octet_length(text) BETWEEN 1 AND 16384),
  job          integer,
  proposal     integer,
  at           timestamptz(3) NOT NULL,
  words        tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english', words_of(text))) STORED,
  PRIMARY KEY (mesh_id, topic, sequence),
  FOREIGN KEY (mesh_id, topic) REFERENCES topics,
  FOREIGN KEY (mesh_id, job) REFERENCES jobs,
  CHECK (num_nonnulls(team_id, person_id) <= 1)
);
--> statement-breakpoint
CREATE INDEX topic_messages_by_words ON topic_messages USING gin (words);
--> statement-breakpoint
ALTER TABLE jobs ADD CONSTRAINT jobs_have_their_topic FOREIGN KEY (mesh_id, topic_id) REFERENCES topics (mesh_id, number);
