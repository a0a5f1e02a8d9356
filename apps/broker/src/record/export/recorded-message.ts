import type { RecordedMessage } from "@merkle/db";
import type { Message } from "@merkle/wire";
import { toMessage, withoutSealed } from "../../core/message.js";

/**
 * A message as it leaves the broker: named by the record's id, a private one as the stub that everybody sees. One whose
 * content is no JSON object was damaged where it lies: it is given as it is, for whoever verifies it to see.
 */
export function toRecordedMessage(row: RecordedMessage, recordId: string): Message {
  const stored = { ...row, sessionId: recordId };
  if (isObject(parse(row.content))) return withoutSealed(toMessage(stored));
  return { ...toMessage({ ...stored, content: "{}" }), content: row.content as never }; // Not what the type says: damaged.
}

/** Whether somebody who is given this message can check its content against its hash. */
export function isWhole({ content }: Message): boolean {
  return !isObject(content) || (content["private"] !== true && content["redacted"] !== true);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
