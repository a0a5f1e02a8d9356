import { randomUUID } from "node:crypto";
import type { Message } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { formatMessage, localDay } from "./format-message.js";

const style = { arrow: "->", dot: "-", dim: (text: string) => `<${text}>` };
const birch = { own: false, colour: (text: string) => `*${text}*` };
const posted_at = "2026-05-02T14:03:22.000Z";

function message(fields: Partial<Message>): Message {
  return {
    id: randomUUID(),
    session_id: randomUUID(),
    sequence: 405,
    type: "chat",
    posted_by_team_id: randomUUID(),
    from: { team: "Birch", human: false },
    to: ["*"],
    priority: "next",
    content: { text: "hello" },
    posted_at,
    ...fields,
  };
}

function event(content: Record<string, unknown>): Message {
  return message({ type: "system", posted_by_team_id: null, from: null, content });
}

const time = new Date(posted_at).toTimeString().slice(0, 8);

describe("a message for people", () => {
  it("[CLI-30] has local time, number, author, readers and text", () => {
    expect(formatMessage(message({}), birch, style)).toBe(`<${time} #405> *Birch* -> everyone  hello`);
    const toTwo = message({ to: ["Cedar", "@review"], from: { team: "Ana", human: true } });
    expect(formatMessage(toTwo, { ...birch, own: true }, style)).toBe(
      `<${time} #405> *you* -> Cedar, @review  HUMAN  hello`,
    );
    expect(localDay(posted_at)).toMatch(/^2026-05-0[123]$/);
  });

  it.each([
    [{ event: "team_joined", team: "Dune", at: posted_at }, "Dune joined"],
    [{ event: "team_left", team: "Du\nne", at: posted_at }, "Du ne left"],
    [{ event: "session_concluded", by: "Atlas", document_version: 14 }, "concluded by Atlas, document v14"],
    [
      {
        event: "session_metadata_updated",
        by: "Atlas",
        changes: { title: { from: "a", to: "b" } },
        reason: "why",
      },
      'Atlas renamed the session: "a" -> "b" (why)',
    ],
    [
      {
        event: "session_metadata_updated",
        by: "Atlas",
        changes: { title: { from: "a", to: "b" }, description: { from: "", to: "long" } },
        reason: "why\nindeed",
      },
      'Atlas renamed the session: "a" -> "b" and changed the description (why\n         indeed)',
    ],
    [{ event: "something_new", key: "k", value: 3 }, "something_new, key k, value 3"],
  ])("[CLI-30] tells the event %j", (content, words) => {
    expect(formatMessage(event(content), birch, style)).toBe(`<${time} #405 - ${words}>`);
  });
});
