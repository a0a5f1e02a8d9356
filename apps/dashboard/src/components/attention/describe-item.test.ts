import type { AttentionItem } from "@merkle/wire";
import { expect, it } from "vitest";
import { describeItem } from "./describe-item";

const item: AttentionItem = {
  id: "ask:1:2",
  kind: "ask",
  session_id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
  session: "auth",
  session_title: "Auth",
  since: "2026-01-01T00:00:00.000Z",
  sequence: 2,
  number: null,
  team: "Cedar",
  peer: null,
  text: "Which key?",
  options: [],
  dismissed: false,
  snoozed_until: null,
};

it("[DASH-31] an item says who it is about, what, and in which words", () => {
  expect(describeItem(item)).toEqual({ who: "Cedar", what: "asks", quote: "Which key?" });
  expect(describeItem({ ...item, kind: "blocked", peer: "atlas" })).toMatchObject({ who: "atlas of Cedar" });
  expect(describeItem({ ...item, kind: "held", peer: "Cedar", text: "" })).toMatchObject({
    who: "Cedar",
    quote: null,
  });
  expect(describeItem({ ...item, kind: "quiet", team: null, text: "" }).who).toBeNull();
});
