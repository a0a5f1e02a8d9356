import { expect, it } from "vitest";
import { clientTable, describeDelivery, getClientAbilities, listMissingAbilities } from "./client-table.js";
import { isBeyondWaking } from "./wake-reach.js";

it("[CLI-183] says of each client how messages reach it, and names what it lacks", () => {
  expect(describeDelivery(getClientAbilities("codex"))).toBe(
    "Messages arrive in a turn and at its end, by hooks that call the server. An idle agent is woken in half a second if launched, otherwise within ten, by its queue.",
  );
  expect(describeDelivery(getClientAbilities("cursor"))).toContain(
    "An idle agent cannot be woken: reads at its next turn.",
  );
  expect(listMissingAbilities("claude")).toEqual([]);
  expect(listMissingAbilities("opencode")).toContain("token usage");
  expect(clientTable.filter((row) => "isStandIn" in row).map(({ name }) => name)).toEqual(["cursor"]);
});

it("[WAKE-25] only a peer whose client has nothing but hooks is beyond waking, and not while it works", () => {
  expect(isBeyondWaking(["hooks"], "idle")).toBe(true);
  expect(isBeyondWaking(["hooks"], null)).toBe(true);
  expect(isBeyondWaking(["hooks"], "working")).toBe(false);
  expect(isBeyondWaking(["inbox", "hooks"], "idle")).toBe(false);
  expect(isBeyondWaking([], "idle")).toBe(false);
});
