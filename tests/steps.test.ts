import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";

const steps = new URL("../scripts/steps.mjs", import.meta.url).href;

/** Runs a step of `npm start` in a process of its own. */
function runStep(program: string, env: NodeJS.ProcessEnv = {}) {
  const script = `import { step } from ${JSON.stringify(steps)};
    await step("trying", process.execPath, ["-e", ${JSON.stringify(program)}]);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

it("[CLI-141] a signal during a step ends everything that the step started", { tags: "posix" }, async () => {
  const server = (await import("node:net")).createServer();
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  // The grandchild's connection ends with it.
  const grandchild = `require("node:net").connect(${port}, "127.0.0.1"); setInterval(() => {}, 1e6)`;
  const child = runStep(
    `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "ignore" }); setInterval(() => {}, 1e6)`,
  );
  const [socket] = await once(server, "connection");
  socket.on("error", () => undefined);
  socket.resume();
  const isGone = once(socket, "close");
  child.kill("SIGTERM");
  const [code] = await once(child, "close");
  expect(code).toBe(143);
  await isGone;
});

it("[CLI-142] a step sees neither NODE_ENV nor what npm was told to omit", async () => {
  const env = { NODE_ENV: "production", npm_config_omit: "dev", npm_config_production: "true" };
  const child = runStep(
    "console.log(JSON.stringify([process.env.NODE_ENV, process.env.npm_config_omit, process.env.npm_config_production])); process.exit(1)",
    env,
  );
  const lines: string[] = [];
  createInterface(child.stderr).on("line", (line) => lines.push(line));
  await once(child, "close");
  expect(lines).toContain("[null,null,null]");
});
