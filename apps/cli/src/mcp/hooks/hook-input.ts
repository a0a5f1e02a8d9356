import type { Readable } from "node:stream";

/** A client says a few hundred characters, beside what a tool returned. */
const inputBytesMax = 8 * 1024 * 1024;

/** What a client tells a hook on its standard input, as far as it is needed; nothing of what cannot be understood. */
export async function readHookInput(input: Readable): Promise<{ readonly sessionId?: string }> {
  try {
    const { session_id: id, sessionId = id } = Object(JSON.parse(await readAll(input)));
    return typeof sessionId === "string" && sessionId !== "" && sessionId.length <= 200 ? { sessionId } : {};
  } catch {
    // It is told by the next hook of the server's, too.
    return {};
  }
}

async function readAll(input: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    bytes += chunk.length;
    if (bytes > inputBytesMax) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}
