import { describe, expect, it } from "vitest";
import { readPostInput } from "./post-input.js";

describe("what the flags of merkle post ask for", () => {
  it("[CLI-42] recipients, kind, options, what it replies to and priority", () => {
    const ask = { to: ["cy,@backend", "Atlas"], ask: true, option: ["a, b", "c"], priority: "LOW" };
    expect(readPostInput(ask)).toEqual({
      to: ["cy", "@backend", "Atlas"],
      content: { kind: "ask", options: ["a, b", "c"] },
      priority: "low",
    });
    expect(readPostInput({ replyTo: "#405", answer: "vault", decision: true })).toEqual({
      content: { kind: "decision", answer: "vault" },
      reply_to: 405,
    });
    expect(readPostInput({})).toEqual({ content: {} });
  });

  it.each([
    [{ option: ["a", "b"] }, "--option can only be used with --ask"],
    [{ ask: true, option: ["a"] }, "at least twice"],
    [{ ask: true, decision: true }, "not both"],
    [{ ask: true, answer: "a", replyTo: "1" }, "cannot also be an answer"],
    [{ answer: "a" }, "--answer needs --reply-to"],
    [{ priority: "nwo" }, "Did you mean now?"],
    [{ replyTo: "last" }, "--reply-to must be a whole number from 1"],
    [{ to: [" , "] }, "--to is empty"],
  ])("[CLI-43] [CLI-57] %j is a usage error", (flags, words) => {
    expect(() => readPostInput(flags)).toThrow(words);
  });
});
