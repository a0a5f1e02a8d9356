import type { Call } from "@/lib/broker/use-call";
import type { Conflict } from "@/lib/document/save-document";

export interface FileText {
  readonly source_path: string;
  /** The hash of the text that it was made from. */
  readonly base: string;
  readonly text: string;
}

/** What a file was made to meanwhile, beside one's own text; null where both read the same. */
export async function findFileConflict(
  call: Call,
  { source_path, base, text }: FileText,
): Promise<Conflict<string> | null> {
  const [before, now] = await Promise.all([
    call("read_source", { source_path, source_sha: base }),
    call("read_source", { source_path }),
  ]);
  if (now.text === text || now.source_sha === base) return null;
  return { base: before.text, mine: text, theirs: now.text, theirsRevision: now.source_sha };
}
