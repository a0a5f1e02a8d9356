import { expect, it } from "vitest";
import { createTurns } from "./turns.js";

it("things of one key are done one after the other, those of others meanwhile, and one that fails holds up none", async () => {
  const turns = createTurns();
  const done: string[] = [];
  let goOn = () => {};
  const first = turns("a", () =>
    new Promise<void>((resolve) => (goOn = resolve)).then(() => done.push("first")),
  );
  const second = turns("a", async () => {
    done.push("second");
    throw new Error("it failed");
  });
  const third = turns("a", async () => done.push("third"));
  await turns("b", async () => done.push("other"));
  expect(done).toEqual(["other"]);
  goOn();
  await expect(second).rejects.toThrow("it failed");
  await Promise.all([first, third]);
  expect(done).toEqual(["other", "first", "second", "third"]);
});
