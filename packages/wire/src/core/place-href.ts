import { sourceHref } from "./source-href.js";

/** Fields of a topic, job or proposal that identify the document or file it belongs to. */
export interface Placed {
  /** Slug of the session whose document it is. */
  readonly session: string | null;
  readonly source_path: string | null;
}

export interface PlacePart {
  readonly proposal?: number | null;
  readonly topic?: number | null;
  readonly perspective?: string | null;
}

/** Returns the dashboard's path to an item that belongs to a document or file. */
export function placeHref({ session, source_path }: Placed, part: PlacePart): string {
  if (source_path !== null) return sourceHref({ file: source_path, ...part });
  const [chosen] = Object.entries(part);
  return `/sessions/${session}/doc${chosen ? `?${chosen[0]}=${encodeURIComponent(String(chosen[1]))}` : ""}`;
}
