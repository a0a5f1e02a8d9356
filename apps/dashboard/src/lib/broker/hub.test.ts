import type { ConnectionState, MerkleClient } from "@merkle/wire/client";
import { MerkleError } from "@merkle/wire/errors";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Hub } from "./hub";
import { isStranger } from "./is-stranger";
import { PageBroker } from "./page-broker";
import { type HubMessage, silentMsMax } from "./port";

const session = "00000000-0000-4000-8000-000000000001";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it("[DASH-2] a tab that is silent for long is taken for dead, and asks for everything anew when it wakes", async () => {
  const client = new FakeClient();
  const page = connectPage(new Hub(() => client.asClient()));
  page.broker.follow({ sessionId: session, after: 4, onMessages: () => undefined });
  const unanswered = page.broker.call("get_app_info", {});
  await vi.waitFor(() => expect(client.follows).toEqual([{ after: 4, isClosed: false }]));

  vi.advanceTimersByTime(silentMsMax);
  expect(client.follows).toEqual([{ after: 4, isClosed: true }]);
  page.broker.sayAlive();
  await expect(unanswered).rejects.toMatchObject({ code: "unavailable", details: { outcome: "unknown" } });
  await vi.waitFor(() => expect(client.follows.at(-1)).toEqual({ after: 4, isClosed: false }));
});

it("[DASH-2] a tab that says goodbye leaves nothing behind, and the others go on", async () => {
  const client = new FakeClient();
  const hub = new Hub(() => client.asClient());
  const [first, second] = [connectPage(hub), connectPage(hub)];
  for (const { broker } of [first, second]) {
    broker.follow({ sessionId: session, after: 0, onMessages: () => undefined });
  }
  await vi.waitFor(() => expect(client.follows).toHaveLength(1));
  first.broker.detach();
  expect(client.follows).toEqual([{ after: 0, isClosed: false }]);
  second.broker.detach();
  expect(client.follows).toEqual([{ after: 0, isClosed: true }]);
});

it("[DASH-3] after a return every page is told that anything may have changed", () => {
  const client = new FakeClient();
  const page = connectPage(new Hub(() => client.asClient()));
  client.become({ status: "open", epoch: "one", version: "1" });
  const changes: string[] = [];
  page.broker.onMeshChanged(({ kind }) => changes.push(kind));
  client.become({ status: "reconnecting", attempt: 1, retryAt: 0, reason: "gone" });
  expect(page.broker.state.status).toBe("reconnecting");
  client.become({ status: "open", epoch: "one", version: "1" });
  expect(changes).toEqual(["all"]);
});

it("[DASH-13] the person's credential goes along where it is taken, and one that is unknown is told", async () => {
  const client = new FakeClient();
  const page = connectPage(new Hub(() => client.asClient()), "someone.mk_secret");
  void page.broker.call("list_sessions", {}).catch(() => undefined);
  void page.broker.call("get_app_info", {}).catch(() => undefined);
  await vi.waitFor(() => expect(client.calls).toHaveLength(2));
  expect(client.calls).toEqual([{ team_id: "someone.mk_secret" }, {}]);
});

it("[DASH-170] what a stranger's pages asked for waits, and is asked for again once somebody is signed in", async () => {
  const clients: FakeClient[] = [];
  const hub = new Hub(() => {
    const client = new FakeClient();
    clients.push(client);
    return client.asClient();
  });
  const page = connectPage(hub);
  page.broker.follow({ sessionId: session, after: 4, onMessages: () => undefined });
  void page.broker.call("get_app_info", {});
  const doubtful = page.broker.call("mark_read", { session_id: session });
  await vi.waitFor(() => expect(clients[0]?.follows).toHaveLength(1));
  clients[0]?.become({ status: "closed", reason: "Nobody is signed in.", code: "unauthorized" });
  expect(isStranger(page.broker.state)).toBe(true);
  const [read, write] = clients[0]?.refusals ?? [];
  read?.(new MerkleError("unauthorized", "Nobody is signed in."));
  write?.(new MerkleError("unauthorized", "Nobody is signed in.", { outcome: "unknown" }));
  // Whether that was done nobody knows, so it is not done again by itself.
  await expect(doubtful).rejects.toMatchObject({ code: "unavailable", details: { outcome: "unknown" } });

  hub.startAnew();
  await vi.waitFor(() => expect(clients[1]?.calls).toEqual([{}]));
  expect(page.broker.state.status).toBe("connecting");
  expect(page.anew()).toBe(1);
  await vi.waitFor(() => expect(clients[1]?.follows).toEqual([{ after: 4, isClosed: false }]));
  // The one that was given up is heard no more.
  clients[0]?.become({ status: "closed", reason: "The client was closed." });
  expect(page.broker.state.status).toBe("connecting");
});

it("[DASH-170] a page that is opened while nobody is signed in makes all of them try again", () => {
  let opened = 0;
  const client = new FakeClient();
  const hub = new Hub(() => {
    opened += 1;
    return client.asClient();
  });
  client.become({ status: "closed", reason: "Nobody is signed in.", code: "unauthorized" });
  connectPage(hub);
  expect(opened).toBe(2);
});

function connectPage(hub: Hub, credential?: string) {
  let anew = 0;
  const broker = new PageBroker({
    credential: () => credential,
    onUnknownPerson: () => undefined,
    onAnew: () => {
      anew += 1;
    },
  });
  const told: HubMessage[] = [];
  const receive = hub.attach({
    postMessage: (message) => {
      told.push(message);
      broker.receive(message);
    },
    close: () => undefined,
  });
  broker.attach({ postMessage: receive, close: () => undefined });
  return { broker, told, anew: () => anew };
}

/** A client whose broker answers nothing; it notes what is asked of it. */
class FakeClient {
  state: ConnectionState = { status: "connecting" };
  readonly follows: { after: number | undefined; isClosed: boolean }[] = [];
  readonly calls: object[] = [];
  /** How to refuse each of them. */
  readonly refusals: ((error: MerkleError) => void)[] = [];
  #tell: ((state: ConnectionState) => void) | undefined;

  become(state: ConnectionState): void {
    this.state = state;
    this.#tell?.(state);
  }

  asClient(): MerkleClient {
    const watch = { ready: Promise.resolve(), close: () => undefined };
    const follow: MerkleClient["follow"] = ({ after }) => {
      const opened = { after, isClosed: false };
      this.follows.push(opened);
      return {
        cursor: after ?? 0,
        ready: Promise.resolve(),
        close: () => {
          opened.isClosed = true;
        },
      };
    };
    const self = this;
    return {
      call: (_name, input) => {
        this.calls.push(input);
        return new Promise((_resolve, reject) => this.refusals.push(reject));
      },
      follow,
      inbox: () => expect.fail("no page has an inbox"),
      watchMesh: () => watch,
      onPush: () => () => undefined,
      answerNudge: () => undefined,
      retryNow: () => undefined,
      get state() {
        return self.state;
      },
      onState: (tell) => {
        this.#tell = tell;
        return () => undefined;
      },
      close: async () => undefined,
    };
  }
}
