import { limits } from "@merkle/wire/limits";
import { expect, it } from "vitest";
import { createLiveSessions } from "./live-sessions.js";
import type { LiveMcpSession } from "./mcp-session.js";

/** Creates a session that only records that it was closed. */
function quietSession(id: string, closed: string[]): LiveMcpSession {
  const session: Pick<LiveMcpSession, "isBusy" | "replay" | "close"> = {
    isBusy: false,
    replay: async () => true,
    close: async () => {
      closed.push(id);
    },
  };
  // The test posts no requests to the session, so the session needs no transport.
  return session as LiveMcpSession;
}

it("[LIMIT-1] holds liveMcpSessionsMax sessions, and above it drops the longest unused, which is taken up again", async () => {
  const closed: string[] = [];
  const opened: string[] = [];
  const live = createLiveSessions({
    liveMax: 2,
    store: {
      save: async () => undefined,
      find: async () => ({ initialize: {} }),
      remove: async () => undefined,
      noteCancelled: async () => undefined,
      listCancelled: async () => null,
    },
    open: async (id) => {
      opened.push(id);
      return quietSession(id, closed);
    },
  });
  expect(limits.liveMcpSessionsMax).toBe(1_000);
  live.add("a", quietSession("a", closed));
  live.add("b", quietSession("b", closed));
  expect(closed, "at the limit nobody has to go").toEqual([]);

  await live.find("a");
  live.add("c", quietSession("c", closed));
  expect(closed, "b was unused for longest").toEqual(["b"]);
  await live.find("a");
  await live.find("c");
  expect(opened).toEqual([]);

  expect(await live.find("b")).not.toBeNull();
  expect(opened, "b came back").toEqual(["b"]);
  expect(closed).toEqual(["b", "a"]);
  await live.closeAll();
});
