import { expect, it, vi } from "vitest";
import type { Broker } from "./broker";
import { ReadStore } from "./read-store";

it("[DASH-251] what reads as before is the same object, and nobody is told of it", async () => {
  const answers = [{ sessions: [] }, { sessions: [] }, { sessions: [{ slug: "auth" }] }];
  const call = vi.fn(async () => answers[call.mock.calls.length - 1]);
  const broker = { call, onMeshChanged: () => () => undefined } as unknown as Broker;
  const reads = new ReadStore(broker);
  const told = vi.fn();
  const stop = reads.subscribe("sessions", { name: "list_sessions", input: {}, on: [] }, told);
  await expect.poll(() => reads.getState("sessions").data).toEqual(answers[0]);
  const first = reads.getState("sessions");

  reads.refresh("sessions");
  await expect.poll(() => call).toHaveBeenCalledTimes(2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads.getState("sessions")).toBe(first);
  expect(told).toHaveBeenCalledTimes(1);

  reads.refresh("sessions");
  await expect.poll(() => reads.getState("sessions").data).toEqual(answers[2]);
  expect(told).toHaveBeenCalledTimes(2);
  stop();
});
