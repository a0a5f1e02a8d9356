import { createHash, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { toCanonicalJson } from "../core/canonical-json.js";
import type { Message } from "../feed/message.js";
import { toRedactedContent } from "../feed/redaction.js";
import { createFeedEntry, hashContent } from "./entry.js";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest();

function message(type: "chat" | "system", content: Record<string, unknown>): Message {
  return {
    id: randomUUID(),
    session_id: randomUUID(),
    sequence: 7,
    type,
    posted_by_team_id: type === "chat" ? randomUUID() : null,
    from: type === "chat" ? { team: "Birch", human: false } : null,
    to: ["*"],
    priority: "next",
    content,
    posted_at: "2026-05-02T14:05:00.000Z",
  };
}

const whole = { recordId: randomUUID(), contentHash: "ab".repeat(32) };

describe("the entry of a message", () => {
  it("[PROOF-5] says all but the text, of which it has the salted hash", () => {
    const said = message("chat", { text: "Which?", kind: "ask" });
    const hash = hashContent(Buffer.alloc(16, 7), toCanonicalJson(said.content), sha256);
    expect(hash).toBe(
      sha256(Buffer.concat([Buffer.alloc(16, 7), Buffer.from('{"kind":"ask","text":"Which?"}')])).toString(
        "hex",
      ),
    );
    expect(createFeedEntry(said, { recordId: whole.recordId, contentHash: hash })).toEqual({
      session_id: whole.recordId,
      sequence: 7,
      id: said.id,
      type: "chat",
      kind: "ask",
      posted_by_team_id: said.posted_by_team_id,
      from: said.from,
      to: ["*"],
      priority: "next",
      reply_to: null,
      posted_at: said.posted_at,
      content_hash: hash,
    });
  });

  it("[PROOF-5] is the same after the text was removed, for a private one too, and for those who see only its length", () => {
    const sealed = `mks1.${"a".repeat(200)}.${"b".repeat(32)}.${"c".repeat(43)}`;
    for (const each of [
      message("chat", { text: "hello" }),
      message("chat", { text: "Which?", kind: "ask", options: ["a", "b"] }),
      message("system", { event: "state_changed", by: "Birch", key: "k", value: "secret" }),
      message("chat", { private: true, sealed }),
    ]) {
      const removed = { ...each, content: toRedactedContent(each) };
      expect(createFeedEntry(removed, whole)).toEqual(createFeedEntry(each, whole));
      expect(toRedactedContent(removed)).toEqual(removed.content);
      expect(JSON.stringify(removed)).not.toMatch(/hello|Which|secret|mks1/);
    }
    const own = message("chat", { private: true, sealed });
    expect(createFeedEntry({ ...own, content: { private: true, bytes: 32 } }, whole)).toEqual(
      createFeedEntry(own, whole),
    );
    expect(createFeedEntry(own, whole)).toMatchObject({ private: { bytes: 32 } });
  });
});
