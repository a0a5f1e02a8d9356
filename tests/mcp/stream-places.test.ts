import { shares } from "@merkle/wire/limits";
import { expect, it, onTestFinished } from "vitest";
import { joinMesh, startInviteBroker } from "../kit/members.js";
import { buildInitializeMessage, post } from "./rpc.js";

it("[GUARD-24] a member's MCP streams have places of their own, which others keep theirs beside", async () => {
  const { broker, admin } = await startInviteBroker(onTestFinished);
  const { link: invite } = await admin.call("create_invite", {});
  const elm = await joinMesh(broker.url, { invite, name: "Elm" }, onTestFinished);
  const mcp = `${broker.url}/mcp`;
  const ended = new AbortController();
  onTestFinished(() => ended.abort());
  // References keep the responses alive, because fetch closes the stream of a response that has been garbage-collected.
  const held: Response[] = [];
  const open = async (token: string, signal = ended.signal) => {
    const authorization = `Bearer ${token}`;
    const opened = await post(mcp, buildInitializeMessage(), { headers: { authorization } });
    await opened.text();
    const stream = await fetch(mcp, {
      headers: {
        authorization,
        accept: "text/event-stream",
        "mcp-session-id": opened.headers.get("mcp-session-id") ?? "",
      },
      signal,
    });
    held.push(stream);
    return stream.status;
  };
  const [{ token: elms }, { token: admins }] = await Promise.all([
    elm.call("issue_token", {}),
    admin.call("issue_token", {}),
  ]);
  const one = new AbortController();
  const first = open(elms, one.signal);
  const others = Array.from({ length: shares.stream.each - 1 }, () => open(elms));
  const statuses = await Promise.all([first, ...others]);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(await open(elms)).toBe(429);
  expect(await open(admins)).toBe(200);
  one.abort();
  await expect.poll(() => open(elms)).toBe(200);
  expect(held.length).toBeGreaterThan(shares.stream.each);
});
