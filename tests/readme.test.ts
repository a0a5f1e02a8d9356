import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { startTestBroker } from "./kit/test-broker.js";

it("[WAIT-1] the README's two agents talk, typed as it stands there", async () => {
  const { url } = await startTestBroker();
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const byHand = /```sh\n(api=[\s\S]*?)```/.exec(readme)?.[1] ?? "";
  const script = `${byHand.replace("http://localhost:7423", url)}\nwait\n`;
  const shell = spawn("sh", ["-e", "-c", script], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  shell.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const [code] = await once(shell, "close");
  expect(code).toBe(0);
  // The wait's answer and the post's, in whichever order they are printed.
  expect(said).toContain('"next_cursor":2');
  expect(said).toContain('"text":"I take the token refresh."');
  expect(said).toMatch(/"message_id":"[^"]+","cursor":2/);
});
