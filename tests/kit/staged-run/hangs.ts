import { tmpdir } from "node:os";
import { it } from "vitest";
import { makeTestHome } from "../../../packages/db/src/embedded/test-support.js";
import { startListener } from "./start-listener.js";

it("never ends", async () => {
  const home = await makeTestHome();
  const server = await home.start();
  console.log(JSON.stringify({ pids: [await startListener(), server.pid], folder: tmpdir() }));
  await new Promise(() => undefined);
});
