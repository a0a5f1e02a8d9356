import { shares as usual } from "@merkle/wire/limits";
import { expect, it } from "vitest";
import { createShares, type ShareHolder } from "./shares.js";

const holder = (key: string, isObserver = false): ShareHolder => ({ key, isObserver });

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

it("[GUARD-24] a principal has so many exports, an observer fewer, and neither takes anybody else's", () => {
  const shares = createShares();
  const places = Array.from({ length: usual.export.each }, () => shares.take("export", holder("ana")));
  const tooMany = expect.objectContaining({
    code: "too_many_requests",
    details: expect.objectContaining({ limit: "export", at_once: 2 }),
  });
  expect(() => shares.take("export", holder("ana"))).toThrow(tooMany);
  shares.take("export", holder("link", true));
  expect(() => shares.take("export", holder("link", true))).toThrow();
  for (const name of ["ben", "cy", "di", "eve", "flo"]) shares.take("export", holder(name));
  // Leaving a slot twice frees it only once.
  places[0]?.release();
  places[0]?.release();
  shares.take("export", holder("ana"));
  expect(() => shares.take("export", holder("ana"))).toThrow(tooMany);
});

it("[GUARD-24] places that nobody works in keep nobody waiting", async () => {
  const shares = createShares({ ...usual, export: { each: 2, observer: 1, waiting: 0, total: 1 } });
  const idle = shares.take("export", holder("ana"));
  await idle.run(async () => undefined);
  expect(await shares.run("export", holder("ben"), async () => "served")).toBe("served");
});

it("[GUARD-24] those who wait are served in turn, holder by holder", async () => {
  const shares = createShares({ ...usual, search: { each: 1, observer: 1, waiting: 10, total: 1 } });
  const order: string[] = [];
  const { open, opened } = gate();
  const first = shares.run("search", holder("ana"), () => opened);
  const ask = (key: string) => shares.run("search", holder(key), async () => void order.push(key));
  const waiting = [ask("ana"), ask("ana"), ask("ana"), ask("ben")];
  open();
  await Promise.all([first, ...waiting]);
  expect(order.indexOf("ben")).toBeLessThanOrEqual(1);
  expect(order).toHaveLength(4);
});

it("[GUARD-24] a caller that has gone is not served when its turn comes", async () => {
  const shares = createShares({ ...usual, search: { each: 1, observer: 1, waiting: 10, total: 1 } });
  const { open, opened } = gate();
  const first = shares.run("search", holder("ana"), () => opened);
  const gone = new AbortController();
  const second = shares.run("search", holder("ana"), async () => "served", gone.signal);
  gone.abort(new Error("gone"));
  open();
  await expect(second).rejects.toThrow("gone");
  await first;
});
