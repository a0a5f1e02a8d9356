import { toFileHref } from "./source-href.js";

/** Fields of a topic, job or proposal that identify the document or file it belongs to. */
export interface SourceRef {
  /** Slug of the session whose document it is. */
  readonly session: string | null;
  readonly source_path: string | null;
}

export interface SourcePart {
  readonly proposal?: number | null;
  readonly topic?: number | null;
  readonly perspective?: string | null;
}

/** Returns the dashboard's path to an item that belongs to a document or file. */
export function toSourceHref({ session, source_path }: SourceRef, part: SourcePart): string {
  if (source_path !== null) return toFileHref({ file: source_path, ...part });
  const [parameter] = Object.entries(part);
  return `/sessions/${session}/doc${parameter ? `?${parameter[0]}=${encodeURIComponent(String(parameter[1]))}` : ""}`;
}
