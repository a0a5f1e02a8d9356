import { catalogue, operations } from "@merkle/wire/schemas";
import { expect, it } from "vitest";
import { parseQuickly } from "./quick-parse.js";

const values: readonly unknown[] = [
  "auth-refactor",
  "d9428888-122b-41e1-b85c-61cd3cbb3210",
  " text with spaces ",
  "",
  "x",
  "\u{1f600}",
  "\ud800",
  "nul \u0000",
  "y".repeat(300),
  "next",
  "chat",
  "agent",
  0,
  1,
  -1,
  1.5,
  Number.NaN,
  1e300,
  true,
  null,
  [],
  ["a"],
  { text: "said" },
  { text: "  " },
  { text: "said", kind: "ask" },
  { text: "said", kind: "decision", options: ["a", "b"] },
  { text: "said", answer: "yes", kind: "ask" },
  { text: "said", more: 1 },
];

it("[CAT-5] what is parsed the quick way is what its schema gives, and what the schema refuses is left to it", () => {
  for (const { name, input } of operations) {
    const fields = Object.keys(input.shape);
    const needed = Object.fromEntries(
      fields.map((field) => [field, values.filter((value) => input.shape[field]?.safeParse(value).success)]),
    );
    const base = Object.fromEntries(
      fields.flatMap((field) => (needed[field]?.length ? [[field, needed[field][0]]] : [])),
    );
    const tried: unknown[] = [base, {}, null, [], "text", { ...base, unknown_field: 1 }];
    for (const field of fields) {
      const { [field]: _left, ...without } = base;
      tried.push(without, ...values.map((value) => ({ ...base, [field]: value })));
    }
    for (const value of tried) {
      const quick = parseQuickly(input, value);
      if (quick === undefined) continue;
      const parsed = input.safeParse(value);
      expect(parsed, `${name} ${JSON.stringify(value)}`).toMatchObject({ success: true });
      expect(quick).toEqual(parsed.data);
    }
  }
});

it("[CAT-5] a post is parsed the quick way", () => {
  const post = {
    session_id: "s",
    team_id: "t",
    content: { text: " said " },
    idempotency_key: "0123456789abcdef",
  };
  expect(parseQuickly(catalogue.post_message.input, post)).toEqual({
    ...post,
    priority: "next",
    type: "chat",
  });
  expect(parseQuickly(catalogue.post_message.input, { ...post, content: { text: " " } })).toBeUndefined();
});
