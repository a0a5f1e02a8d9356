import type { DocumentVersion, Message } from "@merkle/wire";
import { readKind, readMessageText } from "../../feed/store/message-text";
import { showHidden } from "../../text/markdown/hidden-characters";

/** A message, an event or a version of the document. */
export type WorkItem =
  | { readonly kind: "message"; readonly message: Message }
  | { readonly kind: "version"; readonly version: DocumentVersion };

export interface LoadedWork {
  readonly messages: readonly Message[];
  /** The lowest sequence up to which the feed was read. */
  readonly readFrom: number;
  /** The loaded versions, newest first. */
  readonly versions: readonly DocumentVersion[];
  readonly hasMoreVersions: boolean;
}

/**
 * Returns the last message before the oldest loaded version, or 0 if all versions are loaded. Older messages may have
 * versions between them that are not loaded.
 */
export function findVersionsReach({ versions, hasMoreVersions }: LoadedWork): number {
  return hasMoreVersions ? (versions.at(-1)?.after_sequence ?? 0) : 0;
}

/**
 * Merges messages and versions, newest first. Leaves out what is older than the part that both lists cover, so that no
 * row appears later between others.
 */
export function mergeWork(work: LoadedWork): readonly WorkItem[] {
  const feedReach = work.readFrom > 1 ? work.readFrom : 0;
  const versionsReach = findVersionsReach(work);
  const items = [
    ...work.messages
      .filter(({ sequence }) => sequence > versionsReach)
      .map((message) => ({ position: message.sequence, item: { kind: "message", message } as const })),
    // A version follows the message that was the last one when it was written.
    ...work.versions
      .filter(({ after_sequence }) => after_sequence >= feedReach)
      .toReversed()
      .map((version) => ({
        position: version.after_sequence + 0.5,
        item: { kind: "version", version } as const,
      })),
  ];
  // Sorting is stable, so versions after the same message stay in order.
  return items
    .sort((one, other) => one.position - other.position)
    .map(({ item }) => item)
    .reverse();
}

/** Describes a chat message in one line, such as `Birch → Cedar: The table is ready.` */
export function describePost(message: Message): string {
  const { from, to, reply_to } = message;
  const author = isolate(from?.peer ?? from?.team ?? "");
  const text = clipLine(readMessageText(message));
  const recipients = to.map((name) => (name === "*" ? "everyone" : isolate(name))).join(", ");
  if (readKind(message) === "decision") return `${author} decided: ${text}`;
  if (readKind(message) === "ask") return `${author} asked ${recipients}: ${text}`;
  if (reply_to !== undefined && reply_to !== null) return `${author} replied to #${reply_to}: ${text}`;
  return `${author} posted to ${recipients}: ${text}`;
}

const lineCharsMax = 300;

/** Returns a text as one line, cut after 300 characters. */
export function clipLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return showHidden(line.length > lineCharsMax ? `${line.slice(0, lineCharsMax)}…` : line);
}

/** Keeps the direction of a name's script from changing the text around it. */
function isolate(name: string): string {
  return `\u2068${showHidden(name)}\u2069`;
}
