import { expect, it } from "vitest";
import { formatTargetFlags, toRunnable } from "./merkle-command.js";

const calling = { merkle: "npm exec --prefix /clone -- merkle", target: " --url http://h:1 --mesh other" };

it("[CLI-140] an advice line names the program as this shell runs it, with the same broker and mesh", () => {
  expect(toRunnable("  next: merkle launch --session a   ·   merkle post a <text>", calling)).toBe(
    "  next: npm exec --prefix /clone -- merkle --url http://h:1 --mesh other launch --session a   ·   npm exec --prefix /clone -- merkle --url http://h:1 --mesh other post a <text>",
  );
  expect(toRunnable("  next: merkle up", { ...calling, merkle: "merkle" })).toBe("  next: merkle up");
  expect(toRunnable("  next: merkle ls", { merkle: "merkle", target: "" })).toBe("  next: merkle ls");
});

it("[CLI-140] so does a command after a colon, in brackets, or after the words run and with", () => {
  const here = { merkle: "npm exec --prefix /clone -- merkle", target: "" };
  expect(toRunnable("Same again:  merkle launch -y", here)).toBe(`Same again:  ${here.merkle} launch -y`);
  expect(toRunnable("Join with an invite (merkle join -).", here)).toContain(`(${here.merkle} join -)`);
  expect(toRunnable("Run merkle trust to accept it.", here)).toBe(`Run ${here.merkle} trust to accept it.`);
  expect(toRunnable("Restart it with merkle up --auth invite", here)).toContain(
    `with ${here.merkle} up --auth`,
  );
});

it("[CLI-140] a sentence that mentions merkle stays as it is", () => {
  for (const sentence of [
    "Run this where merkle is installed; merkle mcp runs there.",
    "Do it in the dashboard, or with merkle in your own terminal.",
  ])
    expect(toRunnable(sentence, calling)).toBe(sentence);
});

it("[CLI-140] the flags of the call are quoted as the shell needs them", () => {
  expect(formatTargetFlags({ url: "http://h:1", mesh: "Ana's mesh" })).toBe(
    ` --url http://h:1 --mesh "Ana's mesh"`,
  );
  expect(formatTargetFlags({})).toBe("");
});
