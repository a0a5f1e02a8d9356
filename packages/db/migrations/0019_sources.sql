-- Texts of files that something was made from. A work tree shows the newest alone, and what was in it need never have been committed.
CREATE TABLE source_texts (
  mesh_id  uuid NOT NULL REFERENCES meshes,
  root     text NOT NULL,
  path     text NOT NULL,
  hash     text NOT NULL CHECK (hash ~ '^([0-9a-f]{40}|[0-9a-f]{64})$'),
  content  text NOT NULL CHECK (octet_length(content) <= 524288),
  seen_at  timestamptz(3) NOT NULL,
  PRIMARY KEY (mesh_id, root, path, hash)
);
