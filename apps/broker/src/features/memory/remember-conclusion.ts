import { insertMemory } from "@merkle/db";
import { limits } from "@merkle/wire/limits";
import { countUtf8Bytes } from "@merkle/wire/text";
import type { CreateSessionHook, Predecessor } from "../../sessions/hooks.js";
import { toMemoryId } from "./memory-output.js";

/**
 * Stores the conclusion of the preceding session as the first memory of a session that continues it (SES-30).
 */
export const rememberConclusion: CreateSessionHook = async (
  { database, mesh },
  { tx, afterCommit },
  { sessionId, by, at, predecessor },
) => {
  if (!predecessor) return {};
  const number = await insertMemory(tx, {
    meshId: database.meshId,
    sessionId,
    content: toMemory(predecessor),
    tags: ["conclusion"],
    rememberedBy: by,
    rememberedAt: at,
  });
  afterCommit(() => mesh.announce("memory", null));
  return { memory_id: toMemoryId(number) };
};

/**
 * Converts a conclusion to a memory. Shortens the conclusion if necessary, because it can be as long as a
 * document, while a memory cannot.
 */
function toMemory({ name, conclusion, source }: Predecessor): string {
  const head = `Conclusion of ${name}:`;
  const room = limits.memoryBytesMax - countUtf8Bytes(`${head}\n\n\n\n${source}`);
  if (countUtf8Bytes(conclusion) <= room) return `${head}\n\n${conclusion}\n\n${source}`;
  const cut = "\n\n(cut here: it is longer than a memory can be)";
  return `${head}\n\n${toBytes(conclusion, room - countUtf8Bytes(cut))}${cut}\n\n${source}`;
}

/** Returns the longest prefix of a string that fits into this many bytes, without splitting a character. */
function toBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes), { stream: true });
}
