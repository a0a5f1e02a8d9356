import type { Message } from "@merkle/wire";
import { expect, it } from "vitest";
import { insertDecision } from "./decisions";

const message: Message = {
  id: "m",
  session_id: "s",
  sequence: 391,
  type: "chat",
  posted_by_team_id: "t",
  from: { team: "Atlas", human: false },
  to: ["*"],
  priority: "next",
  content: { text: "Keep v1 tokens\nfor 30 days" },
  posted_at: "2026-05-02T14:00:00.000Z",
};
const point = "- Keep v1 tokens for 30 days ([#391](/m))\n";

it("[DASH-68] a decision becomes the last point of the document's section of that name", () => {
  const decide = (content: string) => insertDecision(content, message, "/m");
  expect(decide("")).toBe(`## Decisions\n\n${point}`);
  expect(decide("# Plan\n\ntext\n")).toBe(`# Plan\n\ntext\n\n## Decisions\n\n${point}`);
  expect(decide("# Plan\n## Decisions\n\n- Use PASETO\n\n## Notes\nx\n")).toBe(
    `# Plan\n## Decisions\n\n- Use PASETO\n${point}\n## Notes\nx\n`,
  );
  expect(decide("## Decisions\nNone yet.\n")).toBe(`## Decisions\nNone yet.\n\n${point}`);
});

it("[ERR-7] a section of many indented lines is read once, and not once for each way to part them", () => {
  const section = `## Decisions\n\n- a${"\n  ".repeat(100_000)}\nx`;
  expect(
    insertDecision(section, { sequence: 1, content: { text: "go" } } as unknown as Message, "/x"),
  ).toContain("x\n\n- go");
});
