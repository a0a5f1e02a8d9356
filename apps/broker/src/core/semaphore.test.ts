import { limits } from "@merkle/wire";
import { describe, expect, it } from "vitest";
import { createPlaces } from "./semaphore.js";

describe("what takes long", () => {
  it.each([
    ["exports", limits.exportsAtOnceMax],
    ["imports", limits.importsAtOnceMax],
  ])("[EXPORT-7] %s are done so many at once, and one more is asked to come back", (what, max) => {
    const places = createPlaces(max, what);
    const taken = Array.from({ length: max }, () => places.take());
    expect(() => places.take()).toThrow(
      expect.objectContaining({
        code: "unavailable",
        details: expect.objectContaining({ retry_after_s: 5 }),
      }),
    );
    // Left twice it is still one place.
    taken[0]?.leave();
    taken[0]?.leave();
    places.take();
    expect(() => places.take()).toThrow();
  });
});
