import type { Readable } from "node:stream";
import type { Fields } from "../membership.js";

/** A client says a few hundred characters, and with a prompt or a tool's results as many as these have. */
const inputBytesMax = 16 * 1024 * 1024;

/** Reads the fields that the client gives a command that it runs as a hook; none where they are not understood. */
export async function readHookInput(input: Readable): Promise<Fields> {
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

/** The conversation that the client's hook is of, by either of the names that clients have for it; undefined when it says none. */
export function conversationOf({ session_id: id, sessionId = id }: Fields): string | undefined {
  return typeof sessionId === "string" && sessionId !== "" && sessionId.length <= 200 ? sessionId : undefined;
}
