import { MerkleError } from "@merkle/wire";
import type { ConnectionState, MerkleClient } from "@merkle/wire/client";
import { expect, it } from "vitest";
import { isUnauthenticated } from "./broker";
import { toConnection } from "./connection";
import { PageBroker } from "./page-broker";

const session = "00000000-0000-4000-8000-000000000001";

it("[DASH-2] a page that is left leaves nothing behind, and asks for everything anew when it comes back", async () => {
  const { broker, clients } = connectPage();
  const stop = broker.follow({ sessionId: session, after: 4, onMessages: () => undefined });
  const unanswered = broker.call("get_app_info", {});
  await expect.poll(() => clients[0]?.follows).toEqual([{ after: 4, isClosed: false }]);

  broker.disconnect();
  expect(clients[0]?.isClosed).toBe(true);
  expect(clients[0]?.follows).toEqual([{ after: 4, isClosed: true }]);
  const changes: string[] = [];
  broker.onMeshChanged(({ kind }) => changes.push(kind));
  broker.connect();
  await expect.poll(() => clients[1]?.follows).toEqual([{ after: 4, isClosed: false }]);
  // The pending read is requested again.
  await expect.poll(() => clients[1]?.calls).toEqual([{}]);
  expect(changes).toEqual(["all"]);
  stop();
  expect(clients[1]?.follows).toEqual([{ after: 4, isClosed: true }]);
  unanswered.catch(() => undefined);
});

it("[DASH-2] a page that is left before its connection is there makes none", async () => {
  const { broker, clients } = connectPage();
  broker.disconnect();
  await expect.poll(() => clients[0]?.isClosed).toBe(true);
  expect(broker.state.status).toBe("connecting");
});

it("[DASH-3] after a return the page is told that anything may have changed", async () => {
  const { broker, clients } = connectPage();
  await expect.poll(() => clients).toHaveLength(1);
  clients[0]?.become({ status: "open", epoch: "one", version: "1", build: 1 });
  const changes: string[] = [];
  broker.onMeshChanged(({ kind }) => changes.push(kind));
  clients[0]?.become({ status: "reconnecting", attempt: 1, retryAt: 0, reason: "gone" });
  expect(broker.state.status).toBe("reconnecting");
  clients[0]?.become({ status: "open", epoch: "one", version: "1", build: 1 });
  expect(changes).toEqual(["all"]);
});

it("[DASH-13] the person's credential goes along where it is taken, and one that is unknown is told", async () => {
  const { broker, clients, unknown } = connectPage("someone.mk_secret");
  const refused = broker.call("list_sessions", {});
  void broker.call("get_app_info", {}).catch(() => undefined);
  await expect.poll(() => clients[0]?.calls).toEqual([{ team_id: "someone.mk_secret" }, {}]);
  clients[0]?.refusals[0]?.(new MerkleError("unauthorized", "Nobody has this credential."));
  await expect(refused).rejects.toMatchObject({ code: "unauthorized" });
  expect(unknown).toEqual(["someone.mk_secret"]);
});

it("[DASH-170] what a stranger's page asked for waits, and is asked for again once somebody is signed in", async () => {
  const { broker, clients, anew } = connectPage();
  broker.follow({ sessionId: session, after: 4, onMessages: () => undefined });
  void broker.call("get_app_info", {}).catch(() => undefined);
  const doubtful = broker.call("mark_read", { session_id: session });
  await expect.poll(() => clients[0]?.follows).toHaveLength(1);
  clients[0]?.become({ status: "closed", reason: "Nobody is signed in.", code: "unauthorized" });
  expect(isUnauthenticated(broker.state)).toBe(true);
  const [read, write] = clients[0]?.refusals.splice(0) ?? [];
  read?.(new MerkleError("unauthorized", "Nobody is signed in."));
  write?.(new MerkleError("unauthorized", "Nobody is signed in.", { outcome: "unknown" }));
  // The outcome of this call is unknown, so it is not retried automatically.
  await expect(doubtful).rejects.toMatchObject({ code: "unavailable", details: { outcome: "unknown" } });
  const givenUp = new AbortController();
  const waiting = broker.call("get_settings", {}, { signal: givenUp.signal });
  givenUp.abort(new Error("Nobody waits for it."));
  await expect(waiting).rejects.toThrow("Nobody waits for it.");

  broker.restart();
  await expect.poll(() => clients[1]?.calls).toEqual([{}]);
  expect(broker.state.status).toBe("connecting");
  expect(anew()).toBe(1);
  await expect.poll(() => clients[1]?.follows).toEqual([{ after: 4, isClosed: false }]);
  // Events of the abandoned connection are ignored.
  clients[0]?.become({ status: "closed", reason: "The client was closed." });
  expect(broker.state.status).toBe("connecting");
});

function connectPage(credential?: string) {
  const clients: FakeClient[] = [];
  const unknown: string[] = [];
  let anew = 0;
  const broker = new PageBroker({
    openConnection: async (events) => {
      const client = new FakeClient();
      clients.push(client);
      return toConnection(client.asClient(), events);
    },
    getCredential: () => credential,
    onUnknownPerson: (credential) => unknown.push(credential),
    onRestart: () => {
      anew += 1;
    },
  });
  broker.connect();
  return { broker, clients, unknown, anew: () => anew };
}

/** A client that records calls and never answers them. */
class FakeClient {
  state: ConnectionState = { status: "connecting" };
  readonly follows: { after: number | undefined; isClosed: boolean }[] = [];
  readonly calls: object[] = [];
  /** Functions that reject the recorded calls. */
  readonly refusals: ((error: MerkleError) => void)[] = [];
  readonly #listeners = new Set<(state: ConnectionState) => void>();

  become(state: ConnectionState): void {
    this.state = state;
    for (const tell of this.#listeners) tell(state);
  }

  isClosed = false;

  asClient(): MerkleClient {
    const watch = { ready: Promise.resolve(), close: () => undefined };
    const follow: MerkleClient["follow"] = ({ after }) => {
      const opened = { after, isClosed: false };
      this.follows.push(opened);
      return {
        cursor: after ?? 0,
        epoch: "one",
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
        this.#listeners.add(tell);
        return () => undefined;
      },
      close: async () => {
        self.isClosed = true;
        const closed = new MerkleError("unavailable", "The client was closed.");
        for (const refuse of self.refusals.splice(0)) refuse(closed);
      },
    };
  }
}
