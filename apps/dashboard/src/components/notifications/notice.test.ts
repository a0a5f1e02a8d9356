import { expect, it } from "vitest";
import { compareNotices, type Notice, toNotice } from "./notice";

const notice = (id: string): Notice => ({
  id,
  reason: "ask",
  title: "Auth",
  body: "",
  sessionId: "1",
  slug: "auth",
  address: "/sessions/auth",
});

it("[DASH-45] a notification names the session and the reason", () => {
  expect(
    toNotice({
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
    }),
  ).toMatchObject({
    reason: "ask",
    title: "Auth",
    body: "Cedar asks: “Which key?”",
    address: "/sessions/auth?m=2",
  });
});

it("[DASH-46] what has come and what is gone is told apart, so that the gone are withdrawn", () => {
  const before = new Map([notice("a"), notice("b")].map((each) => [each.id, each]));
  const { come, gone } = compareNotices(before, [notice("b"), notice("c")]);
  expect([come.map(({ id }) => id), gone.map(({ id }) => id)]).toEqual([["c"], ["a"]]);
});
