-- Files that messages carry (ATTACH). Their bytes are in a table of their own, which nothing but an upload and a download
-- touches.

-- The bytes once per mesh. A file without a digest is still arriving.
CREATE TABLE files (
  mesh_id    uuid NOT NULL REFERENCES meshes,
  file_id    uuid NOT NULL,
  -- While the file is arriving: the size that was announced.
  size       bigint NOT NULL CHECK (size >= 0),
  digest     bytea CHECK (octet_length(digest) = 32),
  -- The media type that the bytes have.
  type       text,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (mesh_id, file_id),
  UNIQUE (mesh_id, digest),
  CHECK (num_nulls(digest, type) IN (0, 2))
);
--> statement-breakpoint
CREATE TABLE file_chunks (
  mesh_id uuid NOT NULL,
  file_id uuid NOT NULL,
  -- Offset of the chunk's first byte in the file.
  start   bigint NOT NULL CHECK (start >= 0),
  bytes   bytea NOT NULL CHECK (octet_length(bytes) > 0),
  PRIMARY KEY (mesh_id, file_id, start),
  FOREIGN KEY (mesh_id, file_id) REFERENCES files ON DELETE CASCADE
);
--> statement-breakpoint
-- Most files are compressed already.
ALTER TABLE file_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;
--> statement-breakpoint
-- The sum of `files.size`. Kept in a row, so that the statement that adds a file can refuse it.
CREATE TABLE file_usage (
  mesh_id uuid PRIMARY KEY REFERENCES meshes,
  bytes   bigint NOT NULL CHECK (bytes >= 0)
);
--> statement-breakpoint
-- Uploads, by the team or person that made them. One that is complete allows its owner to attach the file.
CREATE TABLE file_uploads (
  session_id    uuid NOT NULL REFERENCES sessions,
  owner_id      uuid NOT NULL,
  upload_id     uuid NOT NULL,
  mesh_id       uuid NOT NULL,
  file_id       uuid NOT NULL,
  name          text NOT NULL,
  keep_metadata boolean NOT NULL,
  size          bigint NOT NULL CHECK (size >= 0),
  received      bigint NOT NULL DEFAULT 0 CHECK (received BETWEEN 0 AND size),
  created_at    timestamptz(3) NOT NULL DEFAULT now(),
  completed_at  timestamptz(3),
  PRIMARY KEY (session_id, owner_id, upload_id),
  FOREIGN KEY (mesh_id, file_id) REFERENCES files
);
--> statement-breakpoint
CREATE INDEX file_uploads_by_file ON file_uploads (mesh_id, file_id);
--> statement-breakpoint
CREATE INDEX file_uploads_by_age ON file_uploads (created_at);
--> statement-breakpoint
-- The files that messages name. Written before the message, so that no message is without its bytes; what a message proves
-- about its files is in its content.
CREATE TABLE message_files (
  session_id uuid NOT NULL REFERENCES sessions,
  message_id uuid NOT NULL,
  mesh_id    uuid NOT NULL,
  file_id    uuid NOT NULL,
  -- Housekeeping has found the message.
  settled    boolean NOT NULL DEFAULT false,
  named_at   timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (session_id, message_id, file_id),
  FOREIGN KEY (mesh_id, file_id) REFERENCES files
);
--> statement-breakpoint
CREATE INDEX message_files_by_file ON message_files (mesh_id, file_id);
--> statement-breakpoint
CREATE INDEX message_files_unsettled ON message_files (named_at) WHERE NOT settled;
