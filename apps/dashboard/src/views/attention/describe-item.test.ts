import { describeItem, describeItemSource, toItemHref } from "@merkle/wire";
import { expect, it } from "vitest";
import { stagedAsk, stagedFileProposal } from "./staged-items";

it("[DASH-31] an item says who it is about, what, and in which words", () => {
  expect(describeItem(stagedAsk)).toEqual({ who: "Cedar", what: "asks", quote: "Which key?" });
  expect(describeItem({ ...stagedAsk, unanswered: true }).what).toBe("asks (unanswered)");
  const approval = { ...stagedAsk, kind: "approval", text: "Bash", unanswered: true } as const;
  expect(describeItem(approval).what, "it waits by its nature").toBe("asks to use Bash");
  const blocked = { ...stagedAsk, kind: "blocked", peer: "atlas" } as const;
  expect(describeItem(blocked)).toMatchObject({ who: "atlas of Cedar", what: "is blocked and asks" });
  expect(describeItem({ ...blocked, sequence: null, text: "no key" })).toMatchObject({
    ...{ what: "is blocked", quote: "no key" },
  });
  expect(describeItem({ ...stagedAsk, kind: "held", peer: "Cedar", text: "" })).toMatchObject({
    who: "Cedar",
    quote: null,
  });
  expect(describeItem({ ...stagedAsk, kind: "quiet", team: null, text: "" }).who).toBeNull();
});

it("[DASH-301] what waits of a file names the file, and leads to where it is decided about", () => {
  expect(describeItemSource(stagedFileProposal)).toBe("docs/guide & more.md");
  expect(describeItem(stagedFileProposal)).toEqual({
    who: null,
    what: "Proposal 7, +1 −1 to the file",
    quote: null,
  });
  const file = "/sources?file=docs/guide%20%26%20more.md";
  expect(toItemHref(stagedFileProposal)).toBe(`${file}&proposal=7`);
  expect(toItemHref({ ...stagedFileProposal, kind: "job_failed" })).toBe(`${file}&jobs=1`);
});
