import { expect, it } from "vitest";
import { createProgressLine, formatProgress } from "./progress.js";

const format = (amount: number) => `${amount} B`;

it("[CLI-171] progress has the amount, the total, the rate and the time left, as far as they are known", () => {
  const step = { name: "sending", done: 300, total: 1_200, format };
  expect(formatProgress(step, { done: 300, seconds: 3 })).toBe(
    "sending: 300 B of 1200 B, 25 %, 100 B/s, 9s left",
  );
  expect(formatProgress(step, { done: 300, seconds: 0.5 }), "too early for a rate").toBe(
    "sending: 300 B of 1200 B, 25 %",
  );
  expect(formatProgress({ ...step, total: null }, { done: 300, seconds: 3 })).toBe("sending: 300 B, 100 B/s");
  expect(formatProgress({ ...step, done: 1_200 }, { done: 1_200, seconds: 3 })).toBe(
    "sending: 1200 B of 1200 B, 100 %, 400 B/s",
  );
});

it("[CLI-171] it is one line on stderr of a terminal, which is removed at the end", () => {
  const show = (isTTY: boolean, flags = {}) => {
    let text = "";
    let time = 0;
    const stderr = { isTTY, write: (chunk: string) => (text += chunk) } as unknown as NodeJS.WriteStream;
    const line = createProgressLine({ flags, io: { stderr } as never }, () => time);
    for (const done of [1, 500, 1_000]) {
      line.show({ name: "copying", done, total: 1_000, format });
      time += 1_000;
    }
    line.end();
    line.end();
    return text;
  };
  expect(show(true)).toBe(
    "\r\u001b[K  copying: 1 B of 1000 B, 0 %\r\u001b[K  copying: 500 B of 1000 B, 50 %, 499 B/s, 1s left\r\u001b[K  copying: 1000 B of 1000 B, 100 %, 500 B/s\r\u001b[K",
  );
  expect(show(false)).toBe("");
  expect(show(true, { json: true })).toBe("");
  expect(show(true, { quiet: true })).toBe("");
});
