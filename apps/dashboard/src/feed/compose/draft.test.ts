import { describe, expect, it } from "vitest";
import { emptyDraft, findDefaultRecipient, findProblem, toPostInput } from "./draft";
import { openDraftStore } from "./draft-store";

const ask = { sequence: 405, author: "Cedar", text: "Which key?", answers: true, options: ["vault", "new"] };

describe("a draft", () => {
  it("[DASH-95] is posted as it is set: for everyone, for some, as an ask, as an answer", () => {
    expect(toPostInput({ ...emptyDraft, text: "Hi" }, "s")).toEqual({
      session_id: "s",
      content: { text: "Hi" },
    });
    expect(
      toPostInput(
        {
          ...emptyDraft,
          text: "Which?",
          kind: "ask",
          options: ["a", " ", " b "],
          to: ["@humans"],
          priority: "now",
        },
        "s",
      ),
    ).toEqual({
      session_id: "s",
      content: { text: "Which?", kind: "ask", options: ["a", "b"] },
      to: ["@humans"],
      priority: "now",
    });
    expect(toPostInput({ ...emptyDraft, text: " Vault ", kind: "ask", quoted: ask }, "s")).toEqual({
      session_id: "s",
      content: { text: " Vault ", answer: "vault" },
      reply_to: 405,
    });
  });

  it("[SEND-12] shows that a reply is for the author of the quoted message, unless it decides or the author is gone", () => {
    const here = [{ value: "*" }, { value: "Cedar" }];
    const quote = (author: string) => ({ ...emptyDraft, quoted: { ...ask, author } });
    expect(findDefaultRecipient(emptyDraft, here)).toBe("*");
    expect(findDefaultRecipient(quote("Cedar"), here)).toBe("Cedar");
    expect(findDefaultRecipient(quote("Cedar/oak"), here)).toBe("Cedar/oak");
    expect(findDefaultRecipient(quote("Birch"), here)).toBe("*");
    expect(findDefaultRecipient({ ...quote("Cedar"), kind: "decision" }, here)).toBe("*");
  });

  it("[DASH-97] says before it is sent what the broker would refuse", () => {
    expect(findProblem(emptyDraft, 10)).toBe("Write something first.");
    expect(findProblem({ ...emptyDraft, text: "ééééé" }, 10)).toBeNull();
    expect(findProblem({ ...emptyDraft, text: "ééééé!" }, 10)).toBe(
      "Messages can be up to 10 bytes; this one has 11.",
    );
    expect(findProblem({ ...emptyDraft, text: "x", kind: "ask", options: ["a", ""] }, 10)).toContain(
      "two options",
    );
    expect(findProblem({ ...emptyDraft, text: "other", quoted: ask }, 10)).toContain("one of: vault, new");
  });

  it("[DASH-96] keeps its key while it is the same, and gets another when it is changed or sent", () => {
    const store = openDraftStore("s", undefined);
    store.change({ text: "one" });
    const first = store.getIdempotencyKey({ text: "one" });
    expect(store.getIdempotencyKey({ text: "one" })).toBe(first);
    expect(store.getIdempotencyKey({ text: "two" })).not.toBe(first);
    const second = store.getIdempotencyKey({ text: "two" });
    store.clear();
    expect(store.getIdempotencyKey({ text: "two" })).not.toBe(second);
    expect(store.current).toEqual(emptyDraft);
  });
});
