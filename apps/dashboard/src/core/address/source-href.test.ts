import { toFileHref } from "@merkle/wire";
import { expect, it } from "vitest";

it("[DASH-300] the address of a file holds its path so that it can be read, whatever is in it", () => {
  expect(toFileHref({ file: "docs/guide.md" })).toBe("/sources?file=docs/guide.md");
  expect(toFileHref({ file: "docs/guide.md", proposal: 3 })).toBe("/sources?file=docs/guide.md&proposal=3");
  expect(toFileHref({ file: "docs/guide.md", proposal: 3, topic: 2 })).toBe(
    "/sources?file=docs/guide.md&proposal=3&topic=2",
  );
  expect(toFileHref({ file: "docs/guide.md", showsJobs: true })).toBe("/sources?file=docs/guide.md&jobs=1");
  const file = "docs/größe & so+weiter?#1 %2F=/a b.md";
  const query = new URL(toFileHref({ file, topic: 2 }), "http://localhost").searchParams;
  expect([query.get("file"), query.get("proposal"), query.get("topic")]).toEqual([file, null, "2"]);
});
