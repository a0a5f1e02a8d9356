import { readFileSync, statSync } from "node:fs";
import { expect, it } from "vitest";
import { lines, outcomes } from "../apps/broker/src/features/demo/story.js";

const folder = new URL("../docs/screenshots/", import.meta.url);

it("the README's film shows what the demo says today, and loads quickly: node scripts/film.mjs makes a new one", () => {
  const texts: readonly string[] = JSON.parse(readFileSync(new URL("film.json", folder), "utf8"));
  const { proposal, condition, agreement, objection, reply, refusal, question } = lines;
  const [answer = ""] = Object.keys(outcomes);
  const { thanks = "", decision = "", rollout = "" } = outcomes[answer] ?? {};
  const argument = [proposal, condition, agreement, objection, reply, refusal, question];
  expect(texts).toEqual([...argument, answer, thanks, decision, rollout]);
  expect(statSync(new URL("film.webp", folder)).size).toBeLessThanOrEqual(500_000);
});
