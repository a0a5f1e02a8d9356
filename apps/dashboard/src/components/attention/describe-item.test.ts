import type { AttentionItem } from "@merkle/wire";
import { expect, it } from "vitest";
import { describeItem } from "./describe-item";
import { nameOfPlace, placeOfItem } from "./place-of-item";

const item: AttentionItem = {
  id: "ask:1:2",
  kind: "ask",
  session_id: "1b4e28ba-2fa1-4d3b-a3f5-ef19b5a7633b",
  session: "auth",
  session_title: "Auth",
  source_path: null,
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

it("[DASH-301] what waits of a file names the file, and leads to where it is decided about", () => {
  const ofFile: AttentionItem = {
    ...item,
    id: "proposal:file:7",
    kind: "proposal",
    session_id: null,
    session: null,
    session_title: null,
    source_path: "docs/guide & more.md",
    sequence: null,
    number: 7,
    team: null,
    text: "+1 −1 to the file",
  };
  expect(nameOfPlace(ofFile)).toBe("docs/guide & more.md");
  expect(describeItem(ofFile)).toEqual({ who: null, what: "Proposal 7, +1 −1 to the file", quote: null });
  expect(placeOfItem(ofFile)).toBe("/sources?file=docs/guide%20%26%20more.md&proposal=7");
  expect(placeOfItem({ ...ofFile, kind: "job_failed" })).toBe("/sources?file=docs/guide%20%26%20more.md");
});
