import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const program = fileURLToPath(new URL("longest-texts.ts", import.meta.url));

it("[ERR-7] no text of the largest size keeps the broker or a page busy for more than a moment", {
  tags: "long",
}, async () => {
  // A reader that takes quadratic time would exceed the timeout with a single input.
  const run = promisify(execFile)(
    process.execPath,
    ["--conditions", "merkle-source", "--import", "tsx", program],
    {
      timeout: 80_000,
    },
  );
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  expect(stdout.trimEnd().split("\n").at(-1)).toBe("all were read");
});
