import { expect, it } from "vitest";
import { catalogue } from "../catalogue.js";
import { withToolWait } from "./tool-wait.js";

const wait = catalogue.wait_for_messages;

it.each([
  [undefined, undefined, 25],
  [undefined, 0, 25],
  [0, undefined, 0],
  [10, undefined, 10],
  [28.5, undefined, 28.5],
  [30, undefined, 29],
  [30, "token", 30],
  [30, 0, 30],
  [120, "token", 30],
  [120, undefined, 29],
  [-1, undefined, -1],
  ["soon", undefined, "soon"],
])("[MCP-15] a timeout of %j with progress token %j waits %j", (timeout, progressToken, expected) => {
  const input = timeout === undefined ? {} : { timeout };
  expect(withToolWait(wait, input, { defaultSeconds: 25, progressToken })).toEqual({ timeout: expected });
});

it("[MCP-15] a setting of 30 counts as a timeout of 30, and no other operation gets a timeout", () => {
  const silent = { defaultSeconds: 30, progressToken: undefined };
  expect(withToolWait(wait, {}, silent)).toEqual({ timeout: 29 });
  expect(withToolWait(catalogue.check_messages, {}, silent)).toEqual({});
});
