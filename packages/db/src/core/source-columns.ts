/** A source that people and agents work on: a session's document, or a file under a root. */
export type SourceColumns =
  | { readonly sessionId: string; readonly root: null; readonly path: null }
  | { readonly sessionId: string | null; readonly root: string; readonly path: string };

/** Returns the name by which rows refer to a source. */
export function toSourceName({ sessionId, root, path }: SourceColumns): string {
  return path === null ? `session ${sessionId}` : `file ${root}/${path}`;
}
