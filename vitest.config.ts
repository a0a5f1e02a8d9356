import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["merkle-source"] },
  ssr: { resolve: { conditions: ["merkle-source"], externalConditions: ["merkle-source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    pool: "forks",
    globalSetup: ["tests/kit/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
