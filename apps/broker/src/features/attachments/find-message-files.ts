import { findMessage } from "@merkle/db";
import { MerkleError, type MessageFile } from "@merkle/wire";
import { parseContent } from "../../core/message.js";
import type { SessionContext } from "../../sessions/context.js";
import type { Services } from "../../transports/services.js";

/** The files of a message: none if it has none, or if its text was removed. */
export interface FilesOfMessage {
  readonly messageId: string;
  readonly files: readonly MessageFile[];
}

/** @throws not_found */
export async function getMessageFiles(
  { services, session }: SessionContext<Services>,
  sequence: number,
): Promise<FilesOfMessage> {
  const message = await findMessage(services.database.orm, session.sessionId, sequence);
  if (!message)
    throw new MerkleError(
      "not_found",
      `There is no message ${sequence} in this session. Use the number in front of the message.`,
    );
  const hasNone = message.type === "system" || message.redaction !== null;
  return { messageId: message.id, files: hasNone ? [] : toMessageFiles(message.content) };
}

/** Reads the files from a chat message's stored content. */
export function toMessageFiles(content: string): readonly MessageFile[] {
  // The schema of post_message has validated them.
  const { attachments } = parseContent(content) as { readonly attachments?: readonly MessageFile[] };
  return attachments ?? [];
}
