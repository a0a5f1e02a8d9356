import { expect, it } from "vitest";
import { createForeground } from "./foreground.js";

function pending() {
  let end = (): void => undefined;
  const write = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { write, end: () => end() };
}

it("[GUARD-25] work that can wait begins after the writes that were under way, not after later ones", async () => {
  const foreground = createForeground();
  await foreground.waitUntilQuiet();
  const [first, second] = [pending(), pending()];
  foreground.count(first.write);
  const events: string[] = [];
  const quiet = foreground.waitUntilQuiet().then(() => events.push("begun"));
  foreground.count(second.write);
  await Promise.resolve();
  expect(events).toEqual([]);
  first.end();
  await quiet;
  expect(events).toEqual(["begun"]);
  second.end();
});

it("[GUARD-25] a write that failed keeps nothing waiting", async () => {
  const foreground = createForeground();
  foreground.count(Promise.reject(new Error("failed")));
  await foreground.waitUntilQuiet();
});
