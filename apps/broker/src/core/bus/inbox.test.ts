import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createLog } from "../log.js";
import { createHintListeners } from "./bus.js";
import { createHintQueue } from "./inbox.js";

const mesh = randomUUID();

/** Opens an inbox whose state listeners do not finish until the test releases them. */
function open() {
  const listeners = createHintListeners(createLog(() => undefined));
  const inbox = createHintQueue(listeners);
  const followed: string[] = [];
  let releases: (() => void)[] = [];
  listeners.on("state", ({ key }) => {
    followed.push(key);
    return new Promise<void>((resolve) => releases.push(resolve));
  });
  return {
    inbox,
    followed,
    add: (key: string) => inbox.add(["state", { mesh, session: null, key }]),
    async release() {
      for (const release of releases) release();
      releases = [];
      await nextTurn();
    },
  };
}

it("[NODE-15] hints of one key that wait are followed once, after the one under way", async () => {
  const { followed, add, release } = open();
  for (const key of ["first", "second", "third", "second", "first", "third", "second"]) add(key);
  expect(followed).toEqual(["first"]);
  await release();
  expect(followed).toEqual(["first", "second", "third", "first"]);
  await release();
  expect(followed).toHaveLength(4);
});

it("[NODE-15] a hundred keys are followed at once, and the next ones when these have ended", async () => {
  const { followed, add, release } = open();
  for (let key = 0; key < 250; key += 1) add(String(key));
  const counts = [followed.length];
  for (let turn = 0; turn < 3; turn += 1) {
    await release();
    counts.push(followed.length);
  }
  expect(counts).toEqual([1, 101, 201, 250]);
  expect(followed).toEqual(Array.from({ length: 250 }, (_, key) => String(key)));
});
