import { MerkleError } from "@merkle/wire";
import type { Call } from "@/broker/use-call";
import type { Revision } from "@/sessions/source";

/** Two different edits of the same version. */
export interface Conflict<Of extends Revision = number> {
  readonly base: string;
  readonly mine: string;
  readonly theirs: string;
  readonly theirsRevision: Of;
}

export type SaveOutcome =
  | { readonly kind: "saved"; readonly version: number }
  | { readonly kind: "conflict"; readonly conflict: Conflict };

export interface DocumentEdit {
  readonly sessionId: string;
  /** The version that the text is based on. */
  readonly baseVersion: number;
  readonly text: string;
}

/**
 * Saves text as the document's next version. If someone else saved in the meantime, writes nothing and returns both
 * texts as a conflict.
 */
export async function saveDocument(
  call: Call,
  { sessionId, baseVersion, text }: DocumentEdit,
): Promise<SaveOutcome> {
  try {
    const { version } = await call("update_session_doc", {
      session_id: sessionId,
      content: text,
      expected_version: baseVersion,
      include_content: true,
    });
    return { kind: "saved", version };
  } catch (error) {
    if (!isConflict(error)) throw error;
    return findConflict(call, { sessionId, baseVersion, text });
  }
}

export interface SectionEdit {
  readonly sessionId: string;
  readonly baseVersion: number;
  /** The section's text in the version that editing started from. */
  readonly section: string;
  readonly text: string;
}

/**
 * Saves one section, even if other sections have changed in the meantime. If the section itself was changed or occurs
 * twice, saves the whole document instead.
 */
export async function saveSection(call: Call, change: SectionEdit): Promise<SaveOutcome> {
  const { sessionId, baseVersion, section } = change;
  const text = restoreEnding(section, change.text);
  try {
    const { version } = await call("edit_session_doc", {
      session_id: sessionId,
      old_text: section,
      new_text: text,
    });
    return { kind: "saved", version };
  } catch (error) {
    if (!isConflict(error)) throw error;
    const base = await readVersion(call, sessionId, baseVersion);
    const at = base.indexOf(section);
    const fullText = base.slice(0, at) + text + base.slice(at + section.length);
    return saveDocument(call, { sessionId, baseVersion, text: fullText });
  }
}

/**
 * Reads the versions needed to merge the text with the newest version. Returns `saved` if the newest version already
 * equals the text.
 */
export async function findConflict(
  call: Call,
  { sessionId, baseVersion, text }: DocumentEdit,
): Promise<SaveOutcome> {
  const [base, { content: theirs = "", version }] = await Promise.all([
    readVersion(call, sessionId, baseVersion),
    call("read_session_doc", { session_id: sessionId }),
  ]);
  if (theirs === text) return { kind: "saved", version };
  return { kind: "conflict", conflict: { base, mine: text, theirs, theirsRevision: version } };
}

async function readVersion(call: Call, session_id: string, version: number): Promise<string> {
  const { content = "" } = await call("read_session_doc", { session_id, version });
  return content;
}

/** Keeps the blank lines between the section and the next one, regardless of the typed text. */
export function restoreEnding(section: string, text: string): string {
  const end = section.slice(section.trimEnd().length);
  return text.trim() === "" ? "" : text.trimEnd() + end;
}

/** Whether the broker refused a change because the text has changed in the meantime. */
export function isConflict(error: unknown): boolean {
  return error instanceof MerkleError && error.code === "conflict";
}
