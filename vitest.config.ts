import { defineConfig } from "vitest/config";
import { SpreadWork } from "./tests/kit/spread-work.js";

/** Whoever asks for an order of their own, such as `--sequence.shuffle.files --sequence.seed=7`, gets it. */
const isOrdered = process.argv.some((argument) => argument.startsWith("--sequence."));

export default defineConfig({
  resolve: { conditions: ["merkle-source"] },
  ssr: { resolve: { conditions: ["merkle-source"], externalConditions: ["merkle-source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    pool: "forks",
    // Files of one worker share what they import, which nothing keeps state in: reading it anew for each took a sixth of the time.
    isolate: false,
    // Most of the time is spent waiting for servers and processes.
    maxWorkers: 4,
    ...(!isOrdered && { sequence: { sequencer: SpreadWork } }),
    globalSetup: ["tests/kit/global-setup.ts"],
    setupFiles: ["tests/kit/canary-setup.ts"],
    // A poll ends as soon as what it waits for is so; this is only when to give up.
    expect: { poll: { timeout: 30_000 } },
    tags: [{ name: "long", description: "left out by npm test, which shows each rule by another test" }],
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
});
