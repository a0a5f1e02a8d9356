import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { expect, it, onTestFinished } from "vitest";

const lockModule = new URL("../scripts/build-lock.mjs", import.meta.url).href;
const prepareRootModule = new URL("../scripts/start/prepare-root.mjs", import.meta.url).href;
const steps = new URL("../scripts/steps.mjs", import.meta.url).href;

/** Runs a step of `npm start` in its own process. */
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
  // The grandchild process opens a connection, which closes when the grandchild exits.
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

it("[CLI-150] a broker that fails to start ends the steps beside it", async () => {
  const script = `import { endSteps, step } from ${JSON.stringify(steps)};
    const ended = step("building", process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
    endSteps();
    await ended.catch((error) => console.log(error.constructor.name));`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  expect(line).toBe("StoppedError");
  const [code] = await once(child, "close");
  expect(code).toBe(0);
});

it("[CLI-141] a killed start takes along everything that its step started", { tags: "posix" }, async () => {
  const server = (await import("node:net")).createServer();
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  const grandchild = `require("node:net").connect(${port}, "127.0.0.1"); setInterval(() => {}, 1e6)`;
  const child = runStep(
    `require("node:child_process").spawn(process.execPath, ["-e", ${JSON.stringify(grandchild)}], { stdio: "ignore" }); setInterval(() => {}, 1e6)`,
  );
  const [socket] = await once(server, "connection");
  socket.on("error", () => undefined);
  socket.resume();
  const isGone = once(socket, "close");
  child.kill("SIGKILL");
  await isGone;
});

it("[CLI-141] a killed npm takes along what it started by a shell that stays", {
  tags: "posix",
}, async () => {
  const script = `import { endWithNpm, step } from ${JSON.stringify(steps)};
    endWithNpm();
    const steps = step("building", process.execPath, ["-e", "setInterval(() => {}, 1e6)"]);
    console.log("runs");
    await steps;`;
  // npm sets this process title and runs a script through a shell. On some systems, the shell remains as the parent
  // process.
  const npm = `process.title = "npm start";
    require("node:child_process").spawn("sh", ["-c", '"$0" --input-type=module -e "$1"; exit 1', process.execPath, process.argv[1]], {
      stdio: ["ignore", "inherit", "ignore"], env: { ...process.env, npm_lifecycle_event: "start" } });`;
  const child = spawn(process.execPath, ["-e", npm, script], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(createInterface({ input: child.stdout }), "line");
  child.kill("SIGKILL");
  // If a process survived, it would keep its end of the pipe open, and "close" would not be emitted.
  await once(child, "close");
});

it("[CLI-147] of two that build in one checkout the second waits for the first, and a dead one keeps no lock", async () => {
  const folder = await mkdtemp(join(tmpdir(), "merkle-lock-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const lock = join(folder, "build.lock");
  const start = () => {
    const script = `import { takeLock } from ${JSON.stringify(lockModule)};
      await takeLock(${JSON.stringify(lock)}, { onWait: (pid) => console.log("waits for " + pid) });
      console.log("holds");
      process.stdin.on("end", () => process.exit(0)).resume();`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    return { child, next: async () => (await lines.next()).value };
  };
  const first = start();
  expect(await first.next()).toBe("holds");
  const [second, third] = [start(), start()];
  expect(await second.next()).toBe(`waits for ${first.child.pid}`);
  expect(await third.next()).toBe(`waits for ${first.child.pid}`);
  first.child.kill("SIGKILL");
  // One of the two waiting processes takes the dead process's lock. The other then waits for that process.
  const [one, other] = await Promise.all([second.next(), third.next()]);
  const [holder, waiter] = one === "holds" ? [second, third] : [third, second];
  expect([one, other].sort()).toEqual(["holds", `waits for ${holder.child.pid}`]);
  holder.child.stdin.end();
  expect(await waiter.next()).toBe("holds");
  waiter.child.stdin.end();
  await once(waiter.child, "close");
  expect(await readdir(folder)).toEqual([]);
});

it("[CLI-148] a start as root says before the build what it creates, and what is missing", {
  tags: "posix",
}, async () => {
  const { prepareRoot } = await import(prepareRootModule);
  expect(prepareRoot({ isRoot: false })).toEqual([]);
  const missing = { isRoot: true, folder: join(tmpdir(), "merkle-no-such", "merkle"), user: "merkle-none" };
  expect(() => prepareRoot(missing)).toThrow(/cannot be written\. Run npm start as an ordinary user/);
  expect(prepareRoot({ ...missing, folder: join(tmpdir(), "merkle-none") })).toEqual([
    expect.stringContaining("creates the system user merkle-none and"),
  ]);
});

it("[CLI-142] a step sees neither NODE_ENV nor what npm is configured to omit", async () => {
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

it("[CLI-150] a first start finds its port taken before it installs or builds anything", async () => {
  const server = (await import("node:net")).createServer();
  onTestFinished(() => void server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  const clone = await mkdtemp(join(tmpdir(), "merkle-clone-"));
  onTestFinished(() => rm(clone, { recursive: true }));
  await cp(new URL("../scripts", import.meta.url), join(clone, "scripts"), { recursive: true });

  const child = spawn(process.execPath, [join(clone, "scripts/start.mjs"), "--port", String(port)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, said, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  expect({ out, code }).toEqual({ out: "", code: 6 });
  expect(said).toBe(
    `Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or choose another port: npm start -- --port 7500\n`,
  );
  expect(await readdir(clone)).toEqual(["scripts"]);
});
