import type { OutputOf } from "@merkle/wire";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { type Read, useRead } from "@/broker/use-read";

export type FileRead = OutputOf<"read_source">;

/** A file's text on disk, kept up to date: by events for accepted proposals, by polling for commits of others. */
export function useFile(source_path: string): Read<FileRead> {
  const read = useRead("read_source", { source_path }, { on: ["proposals"] });
  useKeptFresh(read.refresh);
  return read;
}

/** The commit of a file's text; undefined until it is known, null without one. */
export function useLastCommit({ source_path, source_sha, committed }: FileRead): FileRead["last_commit"] {
  // Looked up once for each text: Git goes through its history for it.
  const { data } = useRead("read_source", committed ? { source_path, source_sha, last_commit: true } : null);
  return committed ? data?.last_commit : null;
}
