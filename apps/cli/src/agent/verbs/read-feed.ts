import type { Message } from "@merkle/wire";
import { isRedacted } from "@merkle/wire/plain";
import type { Verb } from "../../work/agent/verb.js";
import { firstPage, pageOfText } from "../pages.js";
import { sessionOf } from "../session-of.js";

/** So many are asked for at once; most pages hold fewer. */
const messagesMax = 200;
/** Of one message; the rest is read with read-message. */
export const messageCharsMax = 8_000;

/** A page of the session's feed, forward, and where the next one begins; null when this is the last (AGENT-5). */
export const readFeed: Verb = {
  name: "read-feed",
  usage: "[--since <number of the last message that was read>]",
  options: { since: { type: "string" } },
  async run({ client, options }) {
    const session_id = sessionOf(await client.job());
    const after_cursor = options.findNumber("since") ?? 0;
    const read = await client.call("get_history", { session_id, after_cursor, limit: messagesMax });
    const messages = firstPage(read.messages.map(toEntry));
    const isCut = messages.length < read.messages.length;
    const next = isCut ? (messages.at(-1)?.n ?? null) : read.newer_cursor;
    return { messages, next, last_sequence: read.last_sequence };
  },
};

/** A message with what it has, and without what a reader has no use for. */
function toEntry(message: Message) {
  const { sequence: n, posted_at, from, to, priority, reply_to, content } = message;
  const head = { n, at: posted_at.slice(0, 16) };
  if (message.type === "system") {
    const { at: _at, head: _seal, ...fields } = content;
    return { ...head, ...fields, event: message.event };
  }
  const { text, kind, options, answer } = content;
  const isDirected = to.some((recipient) => recipient !== "*");
  const author = {
    from: from?.peer === undefined ? from?.team : `${from.team}/${from.peer}`,
    ...(from?.human && { human: true }),
    ...(isDirected && { to }),
    ...(priority === "now" && { priority }),
    ...(reply_to !== undefined && { re: reply_to }),
  };
  if (isRedacted(message)) return { ...head, ...author, removed: message.redaction ?? true };
  if (content["private"] === true) return { ...head, ...author, private: true };
  const { content: shown, next } = pageOfText(typeof text === "string" ? text : "", 0, messageCharsMax);
  return {
    ...head,
    ...author,
    ...((kind === "ask" || kind === "decision") && { [kind]: true }),
    ...(options !== undefined && { options }),
    ...(answer !== undefined && { answers: answer }),
    text: shown,
    ...(next !== null && { more: next }),
  };
}
