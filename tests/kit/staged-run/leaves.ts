import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "vitest";
import { startListener } from "./start-listener.js";

it("leaves a process and a folder", async () => {
  await startListener();
  mkdtempSync(join(tmpdir(), "left-"));
});
