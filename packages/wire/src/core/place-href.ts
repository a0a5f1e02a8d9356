import { sourceHref } from "./source-href.js";

/** Fields of topics, jobs and proposals that identify their document or file. */
export interface Placed {
  /** Slug of the session. */
  readonly session: string | null;
  readonly source_path: string | null;
}

export interface PlacePart {
  readonly proposal?: number | null;
  readonly topic?: number | null;
  readonly perspective?: string | null;
}

/** Returns the dashboard's path for an item of a document or file. */
export function placeHref({ session, source_path }: Placed, part: PlacePart): string {
  if (source_path !== null) return sourceHref({ file: source_path, ...part });
  const [chosen] = Object.entries(part);
  return `/sessions/${session}/doc${chosen ? `?${chosen[0]}=${encodeURIComponent(String(chosen[1]))}` : ""}`;
}
