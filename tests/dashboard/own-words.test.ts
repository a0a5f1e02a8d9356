import { hash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findStoredPeer } from "../../apps/cli/src/home/stored-peers.js";
import { installTestClaude } from "../../apps/cli/src/test-kit/claude.js";
import { testMerkle } from "../../apps/cli/src/test-kit/merkle.js";
import { createTestSession } from "../kit/session.js";
import { startStdioServer } from "../kit/stdio.js";
import { testDashboard } from "./open-dashboard.js";

const dashboard = testDashboard();

describe("a person's own words, on the page", { tags: "chromium" }, () => {
  /** Runs the commands that the page's settings show, on the machine of an agent, and starts that agent. */
  async function launchAgent(slug: string, commands: string) {
    const merkle = await testMerkle();
    const bin = await installTestClaude(merkle.home);
    const env = {
      MERKLE_URL: dashboard.broker.url,
      PATH: `${bin}:${process.env["PATH"]}`,
      ...{ TEST_RECORD: join(merkle.home, "record.json"), TEST_END: "0" },
    };
    const where = ["--session", slug, "--team", "Birch", "--name", "oak", "--yes"];
    await merkle.run(["config", "set", "name", "Ana", "--local"], { env });
    const [set = "", launch = ""] = commands.split("\n").map((line) => line.replace(/^merkle /, ""));
    expect(await merkle.run(set.split(" "), { env })).toMatchObject({ code: 0 });
    expect(await merkle.run([...launch.split(" "), ...where], { env })).toMatchObject({ code: 0 });
    const read = async () => (await dashboard.rest.call("list_peers", { session_id: slug })).peers;
    const [peer] = (await read()).filter(({ name }) => name === "oak");
    const server = await startStdioServer({
      url: dashboard.broker.url,
      home: merkle.home,
      args: ["--as", peer?.peer_id ?? ""],
      client: "claude-code",
    });
    await expect
      .poll(async () => (await read()).find(({ name }) => name === "oak"))
      .toMatchObject({ connected: true, own_words: expect.anything() });
    const { credential = "" } = (await findStoredPeer(merkle.home, peer?.peer_id ?? "")) ?? {};
    return { ...server, credential };
  }

  it("[OWN-8] [OWN-9] [APPROVE-12] [APPROVE-13] are signed with a key that the settings make, for the agent that the composer names", async () => {
    const session = await createTestSession(dashboard.rest, "Split the auth service");
    const as = await dashboard.newPerson("Ana");
    const { page, problems, findBarriers } = await dashboard.open("/settings#own-words", { as });
    expect(await page.evaluate(() => indexedDB.databases())).toEqual([]);
    await page.getByRole("button", { name: "Create a key for this device" }).click();
    const snippet = page.getByRole("figure", { name: "Let agents recognise this device" });
    const commands = (await snippet.locator("code").textContent()) ?? "";
    expect(commands).toMatch(
      /^merkle config set own_devices [0-9a-f]{64} --local\nmerkle launch --own-words$/,
    );
    expect(await findBarriers()).toEqual([]);
    // No script can read the private key.
    const exported = page.evaluate(async () => {
      const open = indexedDB.open("merkle-own-words");
      await new Promise((resolve) => {
        open.onsuccess = resolve;
      });
      const read = open.result.transaction("keys").objectStore("keys").get("device");
      await new Promise((resolve) => {
        read.onsuccess = resolve;
      });
      return crypto.subtle.exportKey("pkcs8", read.result.pair.privateKey);
    });
    await expect(exported).rejects.toThrow(/not extractable/);

    const server = await launchAgent(session.slug, commands);
    await page.goto(`${dashboard.broker.url}/sessions/${session.slug}`);
    const note = page.getByText("takes this as its user’s words");
    expect(await note.count()).toBe(0);
    await page.getByRole("textbox", { name: "Message" }).fill("@Birch");
    await page.getByRole("listbox", { name: "Recipients" }).getByRole("option", { name: /Birch/ }).click();
    await note.waitFor();
    await page.getByRole("textbox", { name: "Message" }).fill("Deploy it.");
    await page.getByRole("textbox", { name: "Message" }).press("Enter");
    await page.getByText("SIGNED", { exact: true }).waitFor();
    let heard = "";
    const isHeard = async () => {
      heard = await server.hook("UserPromptSubmit");
      return heard.includes("Deploy it.");
    };
    await expect.poll(isHeard).toBe(true);
    expect(heard).toMatch(/^From Ana, your user \(#\d+\): Deploy it\.$/m);
    expect(await findBarriers()).toEqual([]);

    // The answer to a question at the end of the agent's turn is signed in the same way.
    const secret = as.split(".mk_")[1] ?? "";
    await dashboard.rest.call("ask_approval", {
      ...{ session_id: session.sessionId, team_id: server.credential, tool: "Stop", folder: "/work" },
      ...{ devices: [hash("sha256", secret).slice(0, 32)], salt: randomBytes(32).toString("hex") },
      input: JSON.stringify({ last_assistant_message: "Which region?" }),
    });
    await page.goto(`${dashboard.broker.url}/approvals`);
    const card = page.getByRole("listitem", { name: "Birch/oak ended its turn with a question" });
    await card.getByText("takes this as its user’s words").waitFor();
    await card.getByRole("textbox", { name: "Your answer" }).fill("Frankfurt.");
    await page.keyboard.press("Enter");
    await card.getByText("Sent as a message to the agent.").waitFor();
    const isAnswered = async () => {
      heard = await server.hook("UserPromptSubmit");
      return heard.includes("Frankfurt.");
    };
    await expect.poll(isAnswered).toBe(true);
    expect(heard).toMatch(/^From Ana, your user \(#\d+\): Frankfurt\.$/m);

    // So is the answer to a question that the agent's client asks (APPROVE-13).
    const asking = { session_id: session.sessionId, team_id: server.credential };
    const { approval } = await dashboard.rest.call("ask_approval", {
      ...{ ...asking, tool: "AskUserQuestion", folder: "/work" },
      ...{ devices: [hash("sha256", secret).slice(0, 32)], salt: randomBytes(32).toString("hex") },
      input: JSON.stringify({
        questions: [
          {
            ...{ question: "Which database?", header: "Database", multiSelect: false },
            options: [{ label: "Postgres" }, { label: "SQLite" }],
          },
        ],
      }),
    });
    await page.getByRole("button", { name: "Postgres" }).click();
    const readAnswer = () => dashboard.rest.call("wait_for_approval", { ...asking, approval, timeout: 0 });
    await expect
      .poll(readAnswer)
      .toMatchObject({ state: "allowed", answers: ["Postgres"], own: { peer_id: expect.any(String) } });
    expect(problems).toEqual([]);
  });
});
