import { expect, it } from "vitest";
import { compareNotices, type Notice, toNotice } from "./notice";
import { stagedAsk, stagedFileProposal } from "./staged-items";

const notice = (id: string): Notice => ({
  id,
  reasons: ["ask"],
  title: "Auth",
  body: "",
  subjects: ["1", "auth"],
  address: "/sessions/auth",
});

it("[DASH-45] a notification names the session and the reason", () => {
  expect(toNotice(stagedAsk)).toMatchObject({
    reasons: ["ask"],
    title: "Auth",
    body: "Cedar asks: “Which key?”",
    subjects: [stagedAsk.session_id, "auth"],
    address: "/sessions/auth?m=2",
  });
  expect(toNotice({ ...stagedAsk, kind: "blocked", blocked_reason: "no key" })).toMatchObject({
    reasons: ["blocked", "ask"],
    body: "Cedar is blocked and asks: “Which key?”",
    address: "/sessions/auth?m=2",
  });
});

it("[DASH-301] one of a file names the file", () => {
  expect(toNotice(stagedFileProposal)).toMatchObject({
    reasons: ["proposal"],
    title: "docs/guide & more.md",
    body: "Proposal 7, +1 −1 to the file",
    subjects: ["docs/guide & more.md"],
    address: "/sources?file=docs/guide%20%26%20more.md&proposal=7",
  });
});

it("[DASH-46] what has come and what is gone is told apart, so that the gone are withdrawn", () => {
  const before = new Map([notice("a"), notice("b")].map((each) => [each.id, each]));
  const { come, gone } = compareNotices(before, [notice("b"), notice("c")]);
  expect([come.map(({ id }) => id), gone.map(({ id }) => id)]).toEqual([["c"], ["a"]]);
});
