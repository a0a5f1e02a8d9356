import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { makeAgentHome } from "../kit/stdio.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { startAgent, startSession } from "./agents.js";

const cleanup = createCleanup();
let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({}, cleanup);
});

/** Starts an agent that works in a repository, with a setting of its person. */
async function startInRepository(alder: Awaited<ReturnType<typeof startSession>>, report_checkout?: boolean) {
  const home = await makeAgentHome();
  await promisify(execFile)("git", ["-C", home, "init", "-q", "-b", "tokens"]);
  const remote = ["remote", "add", "origin", "https://ana:ghp_secret@github.com/acme/app.git"];
  await promisify(execFile)("git", ["-C", home, ...remote]);
  await writeFile(join(home, "config.json"), JSON.stringify({ report_checkout }));
  return startAgent(broker, alder, { home });
}

async function listCheckouts(slug: string): Promise<{ branch: string; team: string }[]> {
  const response = await fetch(new URL(`/api/checkouts?session_id=${slug}`, broker.url));
  return (await response.json()).checkouts;
}

describe("where an agent works", () => {
  it("[CHECKOUT-3] is reported at the end of the main agent's turn if its person has allowed it, and otherwise never", async () => {
    const alder = await startSession(broker);
    for (const setting of [undefined, false]) {
      const silent = await startInRepository(alder, setting);
      await silent.hook("Stop");
      await silent.stop();
    }
    const birch = await startInRepository(alder, true);
    await birch.call("post_message", {
      content: { text: "See https://github.com/acme/app/pull/7, please." },
    });
    await birch.hook("Stop", { agent_id: "subagent" });
    await birch.hook("Stop");
    await expect
      .poll(() => listCheckouts(alder.slug))
      .toMatchObject([
        {
          ...{ repository: "github.com/acme/app", branch: "tokens" },
          pull_request: "https://github.com/acme/app/pull/7",
        },
      ]);
  });
});
