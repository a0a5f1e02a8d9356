import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createTestSession, expectFailure } from "../kit/session.js";
import { startTestBroker } from "../kit/test-broker.js";
import { type TransportClient, transports } from "../kit/transports.js";

let transport: TransportClient;

const cleanup = createCleanup();
beforeAll(async () => {
  transport = await transports.rest((await startTestBroker({}, cleanup)).url);
});

const checkout = {
  ...{ repository: "github.com/acme/app", branch: "tokens", worktree: "app-tokens", base: "origin/main" },
  ...{ files: 3, added: 40, removed: 2, pull_request: "https://github.com/acme/app/pull/7" },
};

describe("Where agents work", () => {
  it("[CHECKOUT-1] [CHECKOUT-2] is kept per peer and task, with the task that the peer holds or has just finished", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const atlas = { session_id, team_id: session.convener };
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    const { task } = await transport.call("create_task", { ...atlas, title: "Rotate the tokens" });
    const report = (changed: object = {}) =>
      transport.call("report_checkout", { ...birch, checkout: { ...checkout, ...changed } });
    expect(await report({ branch: null, files: 0, added: 0, removed: 0 })).toEqual({ task: null });
    await transport.call("claim_task", { ...birch, task });
    expect(await report()).toEqual({ task });
    const { fence = 0 } = await transport.call("get_task", { ...birch, task });
    await transport.call("finish_task", { ...birch, task, fence, result: "Done." });
    // The turn in which a task is finished still counts for it, and no later turn does.
    expect(await report({ files: 4 })).toEqual({ task });
    expect(await report({ files: 5, branch: "main" })).toEqual({ task: null });

    const { checkouts } = await transport.call("list_checkouts", { session_id: session.slug });
    expect(checkouts.map(({ team, task, branch, files }) => [team, task, branch, files])).toEqual([
      ["Birch", null, "main", 5],
      ["Birch", task, "tokens", 4],
    ]);
    expect(checkouts[1]).toMatchObject({ ...checkout, files: 4, session_id });
    const { checkouts: all } = await transport.call("list_checkouts", {});
    expect(all.filter((each) => each.session_id === session_id)).toEqual(checkouts);
  });

  it("[CHECKOUT-1] is refused from outside the session, and as more than one line", async () => {
    const session = await createTestSession(transport);
    const { sessionId: session_id } = session;
    const outside = await expectFailure(transport.call("report_checkout", { session_id, checkout }));
    expect(outside.code).toBe("unauthorized");
    const birch = { session_id, team_id: (await session.join("Birch")).credential };
    const twoLines = { ...checkout, branch: "a\nb" };
    const bad = await expectFailure(transport.call("report_checkout", { ...birch, checkout: twoLines }));
    expect(bad.code).toBe("bad_request");
    expect((await transport.call("list_checkouts", { session_id })).checkouts).toEqual([]);
  });
});
