import { expect, it } from "vitest";

it("passes", () => expect(1).toBe(1));
it("fails", () => expect("what came").toBe("what was expected"));
it("has no unicorn", { tags: "unicorn" }, () => expect(1).toBe(1));
it("has no unicorn either", { tags: "unicorn" }, () => expect(1).toBe(1));
it("is left out", (context) => context.skip("need a full moon"));
