/**
 * Text that people comment on, edit and read: a session's document, or a file in Git. Pages also show `kind` as a word.
 */
export type Source =
  | { readonly kind: "document"; readonly session_id: string }
  | { readonly kind: "file"; readonly source_path: string };

/** Identifies a state of a source's text: the version of a document, or the hash of a file. */
export type Revision = number | string;

/** Converts a source to the input fields of operations. */
export function toInput(source: Source): { session_id: string } | { source_path: string } {
  return source.kind === "document" ? { session_id: source.session_id } : { source_path: source.source_path };
}

/** Returns a unique key of a source, for data that the browser stores about it. */
export function toSourceKey(source: Source): string {
  return source.kind === "document" ? source.session_id : source.source_path;
}

/** The fields that identify the source of a topic, job or proposal. */
export interface SourceFields {
  readonly session_id: string | null;
  readonly source_path: string | null;
}

export function belongsToSource(source: Source, about: SourceFields): boolean {
  return source.kind === "document"
    ? about.source_path === null && about.session_id === source.session_id
    : about.source_path === source.source_path;
}

/** The first characters of a hash are enough to identify it. */
const hashCharsShown = 12;

export function describeRevision(revision: Revision): string {
  return typeof revision === "number" ? `v${revision}` : revision.slice(0, hashCharsShown);
}
