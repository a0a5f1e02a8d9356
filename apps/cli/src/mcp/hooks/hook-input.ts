import type { Readable } from "node:stream";
import type { JsonFields } from "../../core/is-object.js";

/**
 * The size limit of a hook's input, which usually has a few hundred characters plus the prompt or the tool
 * results.
 */
const inputBytesMax = 16 * 1024 * 1024;

/**
 * Reads the fields that the client passes to a hook command. Returns an empty object if the input is not
 * valid JSON.
 */
export async function readHookInput(input: Readable): Promise<JsonFields> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > inputBytesMax) break;
  }
  try {
    return Object(JSON.parse(Buffer.concat(chunks).toString("utf8")));
  } catch {
    return {};
  }
}

/**
 * Returns the conversation id in a hook's input, under any of the names that clients use. Undefined if it
 * is missing or invalid.
 */
export function findConversation(fields: JsonFields): string | undefined {
  const id = fields["sessionId"] ?? fields["session_id"] ?? fields["conversation_id"];
  return typeof id === "string" && id !== "" && id.length <= 200 ? id : undefined;
}

/** Returns whether Cursor runs the hook, which can be one of Claude Code's: Cursor runs these, too, if its user lets it. */
export function isFromCursor({ cursor_version: version }: JsonFields): boolean {
  return typeof version === "string";
}
