import { listMessagesWithFiles } from "@merkle/db";
import type { OutputOf, ParsedInputOf } from "@merkle/wire";
import type { SessionContext } from "../../sessions/context.js";
import type { Services } from "../../transports/services.js";
import { toMessageFiles } from "./find-message-files.js";

/**
 * Lists the files of a session's messages, newest first (ATTACH-10). A page holds whole messages, so it can have more
 * files than its limit by those of one message.
 */
export async function listFiles(
  { services, session }: SessionContext<Services>,
  { name = "", before, limit }: ParsedInputOf<"list_files">,
): Promise<OutputOf<"list_files">> {
  const wanted = name.toLowerCase();
  const files: OutputOf<"list_files">["files"] = [];
  let cursor = before ?? null;
  for (;;) {
    const messages = await listMessagesWithFiles(services.database.orm, {
      sessionId: session.sessionId,
      before: cursor,
      limit,
    });
    for (const message of messages) {
      const own = toMessageFiles(message.content).filter((file) => file.name.toLowerCase().includes(wanted));
      const { sequence, authorTeam, postedAt } = message;
      files.push(
        ...own.map((file) => ({
          ...file,
          message: sequence,
          by: authorTeam ?? "",
          at: postedAt.toISOString(),
        })),
      );
      cursor = sequence;
      if (files.length >= limit) return { files, next_cursor: sequence };
    }
    if (messages.length < limit) return { files, next_cursor: null };
  }
}
