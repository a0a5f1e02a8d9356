import { defineConfig } from "vitest/config";
import { SpreadWork } from "./tests/kit/spread-work.js";
import { tags } from "./tests/kit/tags.js";

/** An order that is asked for, such as `--sequence.shuffle.files --sequence.seed=7`, takes the place of ours. */
const isOrdered = process.argv.some((argument) => argument.startsWith("--sequence."));

const giveUpMs = 10 * 60_000;

export default defineConfig({
  resolve: { conditions: ["merkle-source"] },
  ssr: { resolve: { conditions: ["merkle-source"], externalConditions: ["merkle-source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    pool: "forks",
    // Files in one worker share their imports, which keep no state. Loading them for each file took a sixth of the time.
    isolate: false,
    // Most of the time is spent waiting for servers and processes.
    maxWorkers: 4,
    ...(!isOrdered && { sequence: { sequencer: SpreadWork } }),
    globalSetup: ["tests/kit/global-setup.ts"],
    setupFiles: ["tests/kit/canary-setup.ts"],
    // Waits end as soon as what they wait for is so; these are only when to give up, on the slowest machine there is.
    expect: { poll: { timeout: giveUpMs / 5 } },
    testTimeout: giveUpMs,
    hookTimeout: giveUpMs,
    tags,
  },
});
