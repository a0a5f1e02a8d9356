import { spawn } from "node:child_process";
import { once } from "node:events";

const script = 'require("node:http").createServer().listen(0, "127.0.0.1", () => console.log("listens"))';

/** Starts a server that is never stopped. Only its environment links it to the run. Returns its process id. */
export async function startListener(): Promise<number> {
  const child = spawn(process.execPath, ["-e", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(child.stdout, "data");
  child.stdout.destroy();
  child.unref();
  return child.pid ?? 0;
}
