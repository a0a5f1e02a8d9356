import { limits } from "@merkle/wire/limits";
import { describe, expect, it } from "vitest";
import { createSemaphore } from "./semaphore.js";

describe("what takes long", () => {
  it.each([
    ["exports", limits.exportsAtOnceMax],
    ["imports", limits.importsAtOnceMax],
  ])("[EXPORT-7] %s are done so many at once, and one more is asked to come back", (what, max) => {
    const semaphore = createSemaphore(max, what);
    const taken = Array.from({ length: max }, () => semaphore.take());
    expect(() => semaphore.take()).toThrow(
      expect.objectContaining({
        code: "unavailable",
        details: expect.objectContaining({ retry_after_s: 5 }),
      }),
    );
    // Left twice it is still one permit.
    taken[0]?.release();
    taken[0]?.release();
    semaphore.take();
    expect(() => semaphore.take()).toThrow();
  });
});
