import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Cleanup } from "../../kit/test-database.js";
import type { TestNetwork } from "../../kit/two-machines.js";

/**
 * A script that listens on a port of the network namespace's loopback interface and forwards to a socket file. All
 * the namespaces share one file system.
 */
const inThere = `
  const { connect, createServer } = require("node:net");
  const [port, path] = process.argv.slice(1);
  createServer((near) => {
    const far = connect(path);
    near.pipe(far).pipe(near);
    for (const each of [near, far]) each.on("error", () => [near, far].forEach((end) => end.destroy()));
  }).listen(Number(port), "127.0.0.1", () => console.log("listens"));
`;

/** Makes a port of this machine reachable at the same loopback address inside another network namespace. */
export async function relayInto(
  network: TestNetwork,
  { port, path }: { readonly port: number; readonly path: string },
  cleanup: Cleanup,
): Promise<void> {
  const here = createServer((near) => {
    const far = connect(port, "127.0.0.1");
    near.pipe(far).pipe(near);
    for (const end of [near, far]) end.on("error", () => [near, far].forEach((each) => void each.destroy()));
  }).listen(path);
  cleanup(async () => void here.close());
  await once(here, "listening");
  const [command = "", ...args] = [...network.enter, process.execPath, "-e", inThere, String(port), path];
  const there = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  cleanup(async () => void there.kill());
  await once(there.stdout, "data");
}
