import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const script = fileURLToPath(new URL("../scripts/complete-lockfile.mjs", import.meta.url));

it("the lockfile names no registry, and has every optional dependency, those of other platforms included", async () => {
  await expect(run(process.execPath, [script, "--check"])).resolves.toMatchObject({ stderr: "" });
});
