import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { operations } from "./catalogue.js";

it("[CLIENT-2] every operation that changes something takes an idempotency key, and no other does", () => {
  for (const { name, readOnly, input } of operations) {
    expect("idempotency_key" in input.shape, name).toBe(!readOnly);
  }
});

it("[AUTH-2] an operation takes a credential as an input unless its rules say that none goes along", () => {
  for (const { name, withoutCredential, input } of operations) {
    expect("team_id" in input.shape, name).toBe(!withoutCredential);
  }
});

it("[MCP-10] lists of tools leave out only inputs that there are", () => {
  for (const { name, unlisted, unlistedOverStdio, input } of operations) {
    const left = [unlisted, unlistedOverStdio].flatMap((each) => (Array.isArray(each) ? each : []));
    expect(Object.keys(input.shape), name).toEqual(expect.arrayContaining(left));
  }
});

it("[CAT-1] the lint against comparing operations by name knows the names of all", () => {
  const lint = readFileSync(
    new URL("../../../../scripts/lint/operation-names.grit", import.meta.url),
    "utf8",
  );
  const [, names = ""] = /r"\[\\"'\](.+)\[\\"'\]"/.exec(lint) ?? [];
  for (const { name } of operations) expect(name).toMatch(new RegExp(`^${names}$`));
});
