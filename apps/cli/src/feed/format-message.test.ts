import { randomUUID } from "node:crypto";
import type { Message } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { formatMessage, toLocalDay } from "./format-message.js";

const style = { arrow: "->", dot: "-", dim: (text: string) => `<${text}>` };
const birch = { isOwn: false, colour: (text: string) => `*${text}*` };
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
  it("[REDACT-4] without its text says who removed it, when and why, and still what it was", () => {
    const redaction = { by: "A\u001bna", at: "2026-05-02T14:05:00.000Z", reason: "x\ny", sequence: 406 };
    const told = formatMessage(
      message({ content: { kind: "ask", redacted: true }, redaction }),
      birch,
      style,
    );
    expect(told).toMatch(
      /^<\S+ #405> \*Birch\* -> everyone {2}ASK {2}<removed by A\ufffdna 2026-05-0\d \d\d:05: x\n {9}y>$/,
    );
  });

  it("[CLI-170] renders Markdown where the style can, and neither bold text nor code passes for a label", () => {
    const rendering = {
      ...style,
      dim: () => "",
      render: (text: string) => text.replace(/\*\*(.+?)\*\*/g, "\u001b[1m$1\u001b[22m"),
    };
    const format = (text: string) => formatMessage(message({ content: { text } }), birch, rendering);
    expect(format("a **b**\nc")).toBe(` *Birch* -> everyone  a \u001b[1mb\u001b[22m\n${" ".repeat(9)}c`);
    expect(format("**DECISION** ship it")).toBe(
      " *Birch* -> everyone  : \u001b[1mDECISION\u001b[22m ship it",
    );
    expect(format("**a\u001b[2J**"), "before it is neutralised").toContain("\u001b[1ma\ufffd[2J\u001b[22m");
  });

  it("[CLI-193] names each of its files, with type and size, on a line of its own", () => {
    const digest = "d".repeat(64);
    const attachments = [
      { name: "build.log", type: "text/plain", size: 12_000, digest },
      { name: "a\u001b[2J\n#1 Ana", type: "image/png", size: 7, digest },
    ];
    const indent = " ".repeat(9);
    expect(formatMessage(message({ content: { text: "see", attachments } }), birch, style)).toBe(
      [
        `<${time} #405> *Birch* -> everyone  see`,
        `${indent}<file: build.log, text/plain, 12.0 kB>`,
        `${indent}<file: "a\\u001b[2J\\n#1 Ana", image/png, 7 bytes>`,
      ].join("\n"),
    );
    const redacted = message({ content: { text: "see", attachments, redacted: true } });
    expect(formatMessage(redacted, birch, style)).not.toContain("build.log");
  });

  it("[CLI-30] has local time, number, author, readers and text", () => {
    expect(formatMessage(message({}), birch, style)).toBe(`<${time} #405> *Birch* -> everyone  hello`);
    const toTwo = message({ to: ["Cedar", "@review"], from: { team: "Ana", human: true } });
    expect(formatMessage(toTwo, { ...birch, isOwn: true }, style)).toBe(
      `<${time} #405> *you (human)* -> Cedar, @review  hello`,
    );
    expect(toLocalDay(posted_at)).toMatch(/^2026-05-0[123]$/);
  });

  it("[CLI-44] says what kind it is, what it answers and what can be chosen", () => {
    const format = (fields: Partial<Message>, own = false) =>
      formatMessage(message(fields), { ...birch, isOwn: own }, { ...style, dim: () => "" });
    const ask = { text: "Which staging key?", kind: "ask", options: ["vault", "n\new"] };
    const atlas = { team: "Cedar", peer: "atlas", human: false };
    expect(format({ from: atlas, to: ["@humans"], content: ask })).toBe(
      " *Cedar/atlas* -> @humans  ASK  Which staging key?   [1 vault] [2 n ew]",
    );
    expect(
      format({ from: atlas, priority: "now", content: { text: "v2 it is", kind: "decision" } }, true),
    ).toBe(" *you/atlas* -> everyone  NOW  DECISION  v2 it is");
    const answer = { from: { team: "Ana", human: true }, reply_to: 405, to: ["Cedar/atlas"] };
    expect(format({ ...answer, content: { text: "vault", answer: "vault" } })).toBe(
      " *Ana (human)* -> Cedar/atlas  answers #405  vault",
    );
    expect(format({ ...answer, content: { text: "for now", answer: "vault" } })).toBe(
      ' *Ana (human)* -> Cedar/atlas  answers #405 "vault"  for now',
    );
    expect(format({ ...answer, content: { text: "why?" } })).toBe(
      " *Ana (human)* -> Cedar/atlas  re #405  why?",
    );
  });

  it("[SEALED-3] shows of a private message its size, whatever it says of itself", () => {
    const fields = { to: ["Cedar/atlas"], content: { private: true, bytes: 312, text: "obey" } };
    expect(formatMessage(message(fields), birch, style)).toBe(
      `<${time} #405> *Birch* -> Cedar/atlas  PRIVATE  <312 bytes, sealed>`,
    );
  });

  it("[CLI-151] right-to-left names and texts keep their places in the line, and cannot change it", () => {
    const format = (fields: Partial<Message>) =>
      formatMessage(message(fields), { ...birch, colour: String }, style);
    const isolated = (text: string) => `\u2068${text}\u2069`;
    const [team, reader, text] = ["צוות הבדיקה", "فريق ريم", "שלום, v2 מוכן"];
    expect(format({ from: { team, peer: "atlas", human: false }, to: [reader], content: { text } })).toBe(
      `<${time} #405> ${isolated(team)}/atlas -> ${isolated(reader)}  ${isolated(text)}`,
    );
    expect(format({ content: { text: `${text}\nv2\n${text}` } })).toBe(
      `<${time} #405> Birch -> everyone  ${isolated(text)}\n         ${isolated("v2")}\n         ${isolated(text)}`,
    );
    // Direction marks in the text would end its isolation or reverse the text after it.
    expect(format({ content: { text: `א\u2069\u202e #406` } })).toContain(isolated("א\ufffd\ufffd #406"));
    expect(format({ content: { text: `ASK  ${text}` } })).toContain(
      `everyone  : ${isolated(`ASK  ${text}`)}`,
    );
    const changes = { message_budget: { from: 0, to: "א" } };
    expect(
      format({ type: "system", content: { event: "settings_changed", by: "Ana", changes } }),
    ).not.toContain("\ufffd");
    expect(format({ content: { text: "é 日本 v2" } })).not.toMatch(/[\u2066-\u2069]/);
  });

  it.each(["ASK  me", "PRIVATE  9 bytes", " re #4  yes", "answers #4  no"])(
    "[CLI-44] a text cannot pass for a label: %j",
    (text) => {
      expect(formatMessage(message({ content: { text } }), birch, style)).toContain(`everyone  : ${text}`);
    },
  );

  it.each([
    [{ event: "session_held", by: "Ana", reason: "wait\nplease" }, "held by Ana: wait\n         please"],
    [{ event: "session_held", by: "Ana", reason: null }, "held by Ana"],
    [{ event: "session_resumed", by: "Ana" }, "resumed by Ana"],
    [
      { event: "budget_spent", budget: 20 },
      "agents have reached their limit of 20 messages; they can post again after a message from a human",
    ],
    [
      { event: "state_changed", by: "Atlas/a", key: "frozen", value: { a: 1 }, version: 3 },
      'Atlas/a: frozen -> {"a":1} (v3)',
    ],
    [{ event: "state_changed", by: "A", key: "k", version: 4, deleted: true }, "A deleted k (v4)"],
    [{ event: "state_changed", by: "A", key: "k", version: 5 }, "A changed k (v5, too large to show)"],
    [
      { event: "state_changed", by: "A", key: "k", value: "x".repeat(300), version: 5 },
      `A: k -> "${"x".repeat(199)}… (302 characters) (v5)`,
    ],
    [
      { event: "task_changed", by: "A", task: 7, change: "done", title: "rotate", result: "in\na.ts" },
      "A: task 7 done: rotate (in a.ts)",
    ],
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
    [
      { event: "message_redacted", by: "Ana", redacted_sequence: 12, reason: "a\nkey" },
      "Ana removed the text of #12: a\n         key",
    ],
    [
      { event: "message_redacted", by: "Ana", document_versions: { from: 3, to: 7 }, reason: null },
      "Ana removed the text of document v3 to v7",
    ],
    [{ event: "state_changed", redacted: true }, "state_changed, removed"],
    [{ event: "something_new", key: "k", value: 3 }, "something_new, key k, value 3"],
  ])("[CLI-30] [CLI-45] tells the event %j", (content, words) => {
    expect(formatMessage(event(content), birch, style)).toBe(`<${time} #405 - ${words}>`);
  });
});
