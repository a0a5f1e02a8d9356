import { expect, it } from "vitest";
import { fuzz, listCorpusNames, readCorpus } from "./fuzz.js";
import { targets } from "./targets.js";

it("[ERR-7] every parser has a corpus, and every corpus a parser", () => {
  expect(listCorpusNames().sort()).toEqual(Object.keys(targets).sort());
});

it.each(Object.entries(targets))(
  "[ERR-7] %s: what was found once is read, or refused as it should be",
  async (name, target) => {
    for (const input of readCorpus(name)) await target.run(input);
  },
);

it("[ERR-7] the fuzzer finds an input that a parser fails at", async () => {
  const target = {
    seeds: [],
    words: ["a", "b"],
    run(bytes: Buffer) {
      if (bytes.includes("abba")) throw new Error("found");
    },
  };
  const { failure } = await fuzz(target, [Buffer.from("x")], 60_000);
  expect(failure?.error).toEqual(new Error("found"));
});
