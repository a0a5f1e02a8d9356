import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LivenessWatch } from "./liveness";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (epoch = "one", version = "1") => ({ status: "open", epoch, version, build: 1 }) as const;
const lost = (attempt = 1) =>
  ({ status: "reconnecting", attempt, retryAt: Date.now() + 4_000, reason: "gone" }) as const;

it("[DASH-6] a lost connection is reconnecting at first, offline from when it was lost, and back with what it missed", () => {
  const watch = new LivenessWatch(() => undefined);
  watch.update(open());
  expect(watch.current).toEqual({ is: "live" });
  vi.advanceTimersByTime(1_000);
  watch.update(lost());
  expect(watch.current).toEqual({ is: "reconnecting", retryAt: 5_000 });
  vi.advanceTimersByTime(10_000);
  expect(watch.current).toEqual({ is: "offline", since: 1_000 });
  watch.update(lost(2));
  expect(watch.current).toEqual({ is: "offline", since: 1_000 });
  vi.advanceTimersByTime(49_000);
  watch.update(open());
  watch.countDelivered(20);
  watch.countDelivered(3);
  expect(watch.current).toEqual({ is: "back", offlineMs: 59_000, isRefreshed: false, filledIn: 23 });
  vi.advanceTimersByTime(3_000);
  watch.countDelivered(1);
  expect(watch.current).toMatchObject({ filledIn: 23 });
  vi.advanceTimersByTime(5_000);
  expect(watch.current).toEqual({ is: "live" });
});

it("[DB-34] a page that is older than the broker says so from the broker's return on", () => {
  const watch = new LivenessWatch(() => undefined);
  watch.update(open());
  watch.update(lost());
  watch.update(open("one", "2"));
  expect(watch.current).toEqual({ is: "outdated", version: "2" });
  vi.advanceTimersByTime(60_000);
  expect(watch.current).toEqual({ is: "outdated", version: "2" });
});

it("[DASH-6] a return to another database says that everything was refreshed", () => {
  const watch = new LivenessWatch(() => undefined);
  watch.update(open());
  watch.update(lost());
  watch.update(open("two"));
  expect(watch.current).toMatchObject({ is: "back", isRefreshed: true });
  watch.stop();
});
