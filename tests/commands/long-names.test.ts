import { expect, it } from "vitest";
import { callBroker } from "../../apps/cli/src/test-kit/api.js";
import { setUpSharedMerkle } from "../../apps/cli/src/test-kit/shared-merkle.js";
import { startAtTerminal } from "../../apps/cli/src/test-kit/terminal.js";

const merkle = setUpSharedMerkle();

it("[CLI-13] at a terminal a long name gives way to what it wrote", { tags: "terminal" }, async () => {
  const team = `The ${"very ".repeat(15)}long team`;
  const made = { title: "Named at length".repeat(3), creator_team_name: team };
  const { slug, session_id, team_id } = await callBroker(merkle, "create_session", made);
  const text = "The limit is 100 requests";
  await callBroker(merkle, "join_session", { session_id, team_name: "Reader" });
  await callBroker(merkle, "remember", { content: text, tags: ["limits"] }, team_id);
  await callBroker(merkle, "set_state", { session_id, key: "limit", value: text }, team_id);
  await callBroker(merkle, "log_progress", { projectId: "p", title: text, content: "c" }, team_id);
  await callBroker(merkle, "post_message", { session_id, content: { text } }, team_id);
  for (const [args, shown] of [
    [["recall"], text],
    [["state", "list", slug], text],
    [["progress", "search", "--project", "p"], text],
    [["search", "requests", "--kind", "message"], "  #3  "],
    [["search", "requests", "--kind", "message"], "The limit is 100"],
    [["undelivered", "--for", "0"], "  #3"],
  ] as const) {
    const { screen } = await startAtTerminal(merkle, args, { NO_COLOR: "1" }).ended;
    expect(screen, args.join(" ")).toContain(shown);
    for (const line of screen.split("\r\n")) expect(line.length, line).toBeLessThanOrEqual(80);
  }
});
