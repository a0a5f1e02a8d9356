import { expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { startCuttingProxy } from "../../../../tests/faults/cutting-proxy.js";
import { backUp, restoreInPlace } from "../../../../tests/kit/restore.js";
import { createTestSession, type TestSession } from "../../../../tests/kit/session.js";
import { startTestBroker } from "../../../../tests/kit/test-broker.js";
import { transports } from "../../../../tests/kit/transports.js";
import type { Message } from "../feed/message.js";
import { FeedReader } from "./feed-reader.js";
import { connect, LiveFeeds } from "./index.js";
import { advanceReader, type ReaderEvent, type ReaderState } from "./reader-state.js";
import { LiveSubscription } from "./subscription.js";
import { advanceSubscription, type SubscriptionEvent, type SubscriptionState } from "./subscription-state.js";

it("[CLIENT-3] the events of a real run with cuts and a restore, replayed, lead to the same states", async () => {
  const subscriptions = recordEvents<SubscriptionState, SubscriptionEvent>(LiveSubscription.prototype);
  const readers = recordEvents<ReaderState, ReaderEvent>(FeedReader.prototype);

  await readThroughCutsAndRestore();

  expect(subscriptions.typesOfEvents()).toEqual(
    new Set(["attached", "detached", "confirmed", "received", "continued", "closed"]),
  );
  expect(readers.typesOfEvents()).toEqual(
    new Set(["received", "flushed", "handled", "restored", "continued", "ended"]),
  );
  subscriptions.expectSameStates((state, event) => advanceSubscription(state, event).state);
  readers.expectSameStates((state, event) => advanceReader(state, event).state);
});

/** Reads a feed and an inbox over connections that are cut within a message, until the database is restored. */
async function readThroughCutsAndRestore(): Promise<void> {
  const broker = await startTestBroker({}, onTestFinished, "the database is restored in place");
  const session = await createTestSession(await transports.rest(broker.url), "Cut and restored");
  const { credential } = await session.join("Oak");
  const proxy = await startCuttingProxy(broker.url);
  onTestFinished(() => proxy.stop());
  const client = connect({ url: proxy.url, WebSocket, retry: { capMs: 100 } });
  onTestFinished(() => client.close());

  const [followed, received]: [string[], string[]] = [[], []];
  const feed = new LiveFeeds(client).follow({
    session: session.sessionId,
    after: 0,
    onMessages: (messages) => void followed.push(...messages.map(textOf)),
    onResync() {
      followed.push("restored");
      return 0;
    },
  });
  client.inbox({
    session: session.sessionId,
    teamId: credential,
    onMessage: (message) => received.push(textOf(message)),
    onResync: () => undefined,
  });

  for (let round = 1; round <= 4; round += 1) {
    proxy.cutAfter(200 * round);
    await postMany(session, `round ${round}`);
    await expect
      .poll(() => [followed.at(-1), received.at(-1)])
      .toEqual([`round ${round} end`, `round ${round} end`]);
  }
  expect(proxy.cuts).toBe(4);
  const file = await backUp(broker);
  await session.post(session.convener, "lost by the restore");
  await expect.poll(() => [followed.at(-1), received.at(-1)]).toEqual(Array(2).fill("lost by the restore"));
  const before = [...followed];
  await restoreInPlace(broker, file);
  await session.post(session.convener, "takes its number");
  await expect.poll(() => [followed.at(-1), received.at(-1)]).toEqual(Array(2).fill("takes its number"));

  expect(new Set(before).size).toBe(before.length);
  expect(followed).toEqual([...before, "restored", ...before.slice(0, -1), "takes its number"]);
  feed.close();
  await client.close();
}

async function postMany(session: TestSession, name: string): Promise<void> {
  for (const part of ["begin", "middle", "end"]) await session.post(session.convener, `${name} ${part}`);
}

function textOf({ content, sequence }: Message): string {
  return typeof content["text"] === "string" ? content["text"] : `event ${sequence}`;
}

interface Machine<State, Event> {
  readonly state: State;
  advance(event: Event): unknown;
}

/** Records the events of all objects of a class, until the test has finished. */
function recordEvents<State, Event extends { readonly type: string }>(prototype: Machine<State, Event>) {
  const runs = new Map<Machine<State, Event>, { readonly start: State; readonly events: Event[] }>();
  const { advance } = prototype;
  const spy = vi.spyOn(prototype, "advance").mockImplementation(function (
    this: Machine<State, Event>,
    event,
  ) {
    const run = runs.get(this) ?? { start: this.state, events: [] };
    runs.set(this, run);
    run.events.push(event);
    return advance.call(this, event);
  });
  onTestFinished(() => spy.mockRestore());

  return {
    typesOfEvents: () => new Set([...runs.values()].flatMap(({ events }) => events.map(({ type }) => type))),
    expectSameStates(next: (state: State, event: Event) => State) {
      for (const [machine, { start, events }] of runs) {
        const recorded: Event[] = JSON.parse(JSON.stringify(events));
        expect(recorded.reduce(next, start)).toEqual(machine.state);
      }
    },
  };
}
