import type { Message } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { createFeedEvent, createFeedMessage } from "../test-kit/feed-message.js";
import { findNudgeTime, type NudgedPeer } from "./wake-rules.js";

const atlas: NudgedPeer = {
  team: "Birch",
  name: "atlas",
  groups: ["backend/db"],
  wake: "everything",
  othersOnline: 3,
};

const say = (text: string, special: Partial<Message> = {}) =>
  createFeedMessage(1, { content: { text }, ...special });
const ask = { text: "Which port?", kind: "ask" };

/** What a peer may get, and when it is nudged: with the default, with `wake: addressed`, with one other agent. */
const rows: readonly [what: string, message: Message, ...times: string[]][] = [
  ["chat to the peer", say("hi", { to: ["Birch/atlas"] }), "now", "now", "now"],
  ["chat to its team", say("hi", { to: ["Birch"] }), "now", "now", "now"],
  ["chat to its group", say("hi", { to: ["@backend"] }), "now", "now", "now"],
  ["an agent's chat to everyone", say("hi"), "after a pause", "never", "now"],
  [
    "a guest's chat to everyone",
    say("hi", { content: { text: "hi", guest: true } }),
    "after a pause",
    "never",
    "now",
  ],
  ["a human's chat to everyone", say("hi", { from: { team: "Ana", human: true } }), "now", "now", "now"],
  ["chat to everyone that names the peer", say("@atlas, look"), "now", "now", "now"],
  ["chat to everyone that names its address", say("for @birch/ATLAS."), "now", "now", "now"],
  ["chat to everyone that names its team", say("ask @Birch"), "now", "now", "now"],
  ["chat to everyone that names a group around its group", say("@backend: done"), "now", "now", "now"],
  ["chat to everyone that names another", say("@birch-2 and me@birch.org"), "after a pause", "never", "now"],
  ["an ask to everyone", say("", { content: ask }), "now", "now", "now"],
  ["a decision to everyone", say("", { content: { ...ask, kind: "decision" } }), "now", "now", "now"],
  ["chat to everyone of priority now", say("hi", { priority: "now" }), "now", "now", "now"],
  [
    "chat of priority low, also to the peer",
    say("hi", { to: ["Birch"], priority: "low" }),
    "never",
    "never",
    "never",
  ],
  ["a change of its task", createFeedEvent(1, "task_changed"), "soon", "soon", "soon"],
  [
    "a finished task, while others work on its creator's other tasks",
    createFeedEvent(1, "task_changed", { priority: "low" }),
    "later",
    "later",
    "later",
  ],
  ["a change of its claim", createFeedEvent(1, "claim_changed"), "soon", "soon", "soon"],
  ["the conclusion", createFeedEvent(1, "session_concluded"), "now", "now", "now"],
  ["a change of a key that it watches", createFeedEvent(1, "state_changed"), "now", "now", "now"],
  [
    "a join while it convenes alone",
    createFeedEvent(1, "team_joined", { priority: "now" }),
    "now",
    "now",
    "now",
  ],
  ["any other join", createFeedEvent(1, "team_joined"), "never", "never", "never"],
  ["another event", createFeedEvent(1, "topic_opened"), "never", "never", "never"],
];

describe("[WAKE-2] [WAKE-9] an idle peer is nudged", () => {
  it.each(rows)("for %s", (_what, message, everything, addressed, alone) => {
    const find = (special: Partial<NudgedPeer>) => findNudgeTime(message, () => ({ ...atlas, ...special }));
    expect([find({}), find({ wake: "addressed" }), find({ othersOnline: 1 })]).toEqual([
      everything,
      addressed,
      alone,
    ]);
  });
});
