import { expect, it, vi } from "vitest";
import type { Broker } from "../../broker/broker";
import { EarlyPage } from "./early-page";

const filter = { types: [], team: null, q: null, thread: null };
const view = { sessionId: "auth-refactor", filter, at: null };

it("[DASH-250] the page that was asked for ahead is taken once, by a feed that wants just this one", async () => {
  const page = { messages: [], last_sequence: 0 };
  const call = vi.fn(async () => page);
  const early = new EarlyPage({ call } as unknown as Broker, view, { is: "last" });
  expect(call).toHaveBeenCalledWith("get_history", { session_id: "auth-refactor" });

  const sameSession = { ...view, sessionId: "00000000-0000-4000-8000-000000000001" };
  expect(early.take(sameSession, { is: "around", sequence: 4 })).toBeUndefined();
  expect(early.take({ ...sameSession, filter: { ...filter, q: "key" } }, { is: "last" })).toBeUndefined();
  expect(await early.take(sameSession, { is: "last" })).toBe(page);
  expect(early.take(sameSession, { is: "last" })).toBeUndefined();
});
