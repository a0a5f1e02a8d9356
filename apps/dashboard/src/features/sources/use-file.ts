import type { OutputOf } from "@merkle/wire";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { type ReadResult, useRead } from "@/broker/use-read";

export type FileRead = OutputOf<"read_source">;

/** Reads a file's current text from disk. Refreshes it when a proposal has changed, and polls for commits by others. */
export function useFile(source_path: string): ReadResult<FileRead> {
  const read = useRead("read_source", { source_path }, { on: ["proposals"] });
  useKeptFresh(read.refresh);
  return read;
}

/** Returns the commit that last changed a file. Undefined while loading, null if there is none. */
export function useLastCommit({ source_path, source_sha, committed }: FileRead): FileRead["last_commit"] {
  // Looked up once per text, because Git has to search its history.
  const { data } = useRead("read_source", committed ? { source_path, source_sha, last_commit: true } : null);
  return committed ? data?.last_commit : null;
}
