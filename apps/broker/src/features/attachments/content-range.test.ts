import { limits } from "@merkle/wire/limits";
import { describe, expect, it } from "vitest";
import { parseRange, parseSentRange } from "./content-range.js";

describe("Ranges of files", () => {
  const parse = (contentRange?: string, contentLength?: string) =>
    parseSentRange({ contentRange, contentLength });

  it("[ATTACH-2] an upload says which bytes it carries, or asks how many have arrived", () => {
    expect(parse(undefined, "10")).toEqual({ start: 0, length: 10, size: 10 });
    expect(parse("bytes 4-9/20", "6")).toEqual({ start: 4, length: 6, size: 20 });
    expect(parse("bytes */20")).toEqual({ start: null, length: 0, size: 20 });
    for (const [range, length] of [
      [undefined, undefined],
      ["bytes 4-9/20", undefined],
      ["bytes 4-9/20", "7"],
      ["bytes 9-4/20", "6"],
      ["bytes 4-20/20", "17"],
      ["bytes 4-9/*", "6"],
      ["lines 4-9/20", "6"],
      ["bytes */20", "5"],
    ])
      expect(() => parse(range, length)).toThrow(expect.objectContaining({ code: "bad_request" }));
  });

  it("[LIMIT-1] [ATTACH-1] a file of the largest size is accepted, and one byte more is refused", () => {
    const max = limits.attachmentBytesMax;
    expect(parse(undefined, String(max)).size).toBe(max);
    for (const tooMuch of [() => parse(undefined, String(max + 1)), () => parse(`bytes 0-0/${max + 1}`, "1")])
      expect(tooMuch).toThrow(expect.objectContaining({ code: "payload_too_large" }));
  });

  it("[ATTACH-8] a download takes one range, and is whole for forms that it does not know", () => {
    expect(parseRange("bytes=2-5", 10)).toEqual({ from: 2, to: 6 });
    expect(parseRange("bytes=2-", 10)).toEqual({ from: 2, to: 10 });
    expect(parseRange("bytes=-3", 10)).toEqual({ from: 7, to: 10 });
    expect(parseRange("bytes=8-99", 10)).toEqual({ from: 8, to: 10 });
    expect(parseRange("bytes=10-", 10)).toBe("unsatisfiable");
    for (const whole of [undefined, "bytes=-", "bytes=5-2", "bytes=0-1,4-5", "lines=1-2"])
      expect(parseRange(whole, 10)).toBe(null);
  });
});
