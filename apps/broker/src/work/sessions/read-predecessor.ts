import { findSession, listSeals, readDocument } from "@merkle/db";
import { limits, MerkleError, sealText, utf8Bytes } from "@merkle/wire";
import { requireSession } from "../../identity/session-directory.js";
import { toSeal } from "../../record/sign-head.js";
import type { TopicServices } from "../topics/services.js";

/** A concluded session that another one goes on from. */
export interface Predecessor {
  /** What the new session remembers first: the conclusion, and how it can be checked. */
  readonly memory: string;
  /** What the new session's description says of it. */
  readonly note: string;
}

/**
 * Reads what a concluded session came to, for the session that goes on from it (SES-30).
 *
 * @throws not_found; conflict for a session that is not concluded
 */
export async function readPredecessor(services: TopicServices, ref: string): Promise<Predecessor> {
  const { orm, meshId } = services.database;
  const { sessionId, slug } = await requireSession(services, ref);
  const [session, document, [sealed]] = await Promise.all([
    findSession(orm, meshId, sessionId),
    readDocument(orm, sessionId),
    listSeals(orm, sessionId, 1),
  ]);
  if (!session || document?.conclusion == null) throw notConcluded(slug);
  const name = `"${session.title}" (${slug})`;
  const seal = sealed && toSeal(sealed);
  const foot = [
    seal && `Sealed ${seal.at}: ${seal.size} messages, root ${seal.root}. Check it: merkle verify ${slug}`,
    `All of it: ${services.addresses.base()}/sessions/${slug}`,
  ];
  return {
    memory: toMemory(`Conclusion of ${name}:`, document.conclusion.trim(), foot.filter(Boolean).join("\n")),
    note: `Goes on from ${name}${seal ? `, ${sealText(seal)}` : ""}. Its conclusion is the first memory here.`,
  };
}

/** A conclusion may be as long as a document, and a memory may not. */
function toMemory(head: string, conclusion: string, foot: string): string {
  const frame = `${head}\n\n\n\n${foot}`;
  const room = limits.memoryBytesMax - utf8Bytes(frame);
  if (utf8Bytes(conclusion) <= room) return `${head}\n\n${conclusion}\n\n${foot}`;
  const cut = "\n\n(cut here: it is longer than a memory can be)";
  return `${head}\n\n${toBytes(conclusion, room - utf8Bytes(cut))}${cut}\n\n${foot}`;
}

/** The beginning of a text in so many bytes; a character that does not fit in whole is left out. */
function toBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes), { stream: true });
}

/** What a description says of where the session comes from stands at its end. */
export function withNote(description: string, note: string): string {
  const text = description === "" ? note : `${description}\n\n${note}`;
  if (text.length <= limits.descriptionCharsMax) return text;
  const problem = `leaves no room for where the session comes from: that takes ${note.length + 2} characters of ${limits.descriptionCharsMax}`;
  throw new MerkleError("bad_request", `create_session cannot take this: description: ${problem}.`, {
    fields: [{ field: "description", problem }],
  });
}

function notConcluded(slug: string): MerkleError {
  return new MerkleError(
    "conflict",
    `The session "${slug}" is not concluded, so there is no conclusion to go on from. Join it (join_session), or conclude it first.`,
    { session: slug },
  );
}
