import { expect, it } from "vitest";
import { parseFeedTypes, toHistoryFilter } from "./feed-filter";

const filterOf = (types: string | null) =>
  toHistoryFilter({ types: parseFeedTypes(types), team: null, q: null, thread: null });

it("[DASH-67] the chips are asked of the broker as types and kinds", () => {
  expect(filterOf(null)).toEqual({});
  expect(filterOf("system,decision,ask,chat")).toEqual({});
  expect(filterOf("nonsense")).toEqual({});
  expect(filterOf("system")).toEqual({ types: ["system"] });
  expect(filterOf("chat")).toEqual({ types: ["chat"], kinds: ["plain"] });
  expect(filterOf("ask,decision")).toEqual({ types: ["chat"], kinds: ["ask", "decision"] });
  expect(filterOf("chat,ask,decision")).toEqual({ types: ["chat"] });
  expect(filterOf("ask,system")).toEqual({ kinds: ["ask"] });
  expect(toHistoryFilter({ types: [], team: "Cedar", q: " key ", thread: 17 })).toEqual({
    team: "Cedar",
    q: "key",
    thread: 17,
  });
});
