import { expect, it } from "vitest";
import { toPlainBrief } from "../../text/markdown/plain-brief";
import { isNarrowed, toProgressChoice, toProgressRead, toProgressTags } from "./progress-choice";

const choiceOf = (query: string) => toProgressChoice(new URLSearchParams(query));

it("[DASH-265] the address says which entries are shown, and what is not understood there is left out", () => {
  expect(toProgressRead(choiceOf(""), null)).toEqual({ limit: 30 });
  const query =
    "q=+issuer+&project=auth&tag=CI,db,ci&by=Ana&from=2026-01-31&to=2026-02-28&before=a1b2c3d4e5f6";
  expect(toProgressRead(choiceOf(query), "split-auth")).toEqual({
    limit: 30,
    session: "split-auth",
    text: "issuer",
    projectId: "auth",
    tags: ["CI", "db"],
    by: "Ana",
    startDate: "2026-01-31",
    endDate: "2026-02-28",
    before: "a1b2c3d4e5f6",
  });
  expect(toProgressRead(choiceOf("from=2026-02-30&to=soon&before=12&q=%20&by="), null)).toEqual({
    limit: 30,
  });
  expect(isNarrowed(choiceOf("project=auth&before=a1b2c3d4e5f6"))).toBe(false);
  expect(isNarrowed(choiceOf("to=2026-01-31"))).toBe(true);
  expect(toProgressTags(Array.from({ length: 12 }, (_, index) => `t${index}`).join())).toHaveLength(10);
});

it("[DASH-266] a brief is without the signs of markdown that are in the way most", () => {
  expect(toPlainBrief("## Done\n\n```sql\nSELECT 1\n```\nThe **keys** of `user_id` moved.")).toBe(
    "Done\n\n\nSELECT 1\n\nThe keys of user_id moved.",
  );
});
