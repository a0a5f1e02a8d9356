import { expect, it } from "vitest";
import { isNarrowed, parseSessionQuery, toListInput } from "./session-query";

const read = (address: string) => {
  const parameters = new URLSearchParams(address);
  return parseSessionQuery((name) => parameters.get(name));
};

it("[DASH-33] the address says what the index shows, and nonsense in it is left out", () => {
  expect(read("")).toEqual({ state: "open", q: "", team: "", needs: false, sort: "needs" });
  expect(read("state=closed&q=auth&team=Birch&needs=1&sort=title")).toEqual({
    state: "closed",
    q: "auth",
    team: "Birch",
    needs: true,
    sort: "title",
  });
  expect(read("state=gone&sort=__proto__&needs=yes")).toEqual(read(""));
});

it("[DASH-33] the broker is asked for no more than the address says", () => {
  expect(toListInput(read(""))).toEqual({ status: "open", sort: "said" });
  expect(toListInput(read("q=a&needs=1&sort=title"))).toEqual({
    status: "open",
    sort: "title",
    query: "a",
    needs: true,
  });
  expect(isNarrowed(read("state=all"))).toBe(false);
  expect(isNarrowed(read("team=Birch"))).toBe(true);
});
