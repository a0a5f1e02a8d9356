import { sourceHref } from "./source-href.js";

/** The fields by which topics, jobs and proposals tell where they belong. */
export interface Placed {
  /** The session's slug. */
  readonly session: string | null;
  readonly source_path: string | null;
}

export interface PlacePart {
  readonly proposal?: number | null;
  readonly topic?: number | null;
  readonly perspective?: string | null;
}

/** Where something about a document or a file is looked at. */
export function placeHref({ session, source_path }: Placed, part: PlacePart): string {
  if (source_path !== null) return sourceHref({ file: source_path, ...part });
  const [chosen] = Object.entries(part);
  return `/sessions/${session}/doc${chosen ? `?${chosen[0]}=${encodeURIComponent(String(chosen[1]))}` : ""}`;
}
