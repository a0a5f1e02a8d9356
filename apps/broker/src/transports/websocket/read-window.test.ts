import { limits } from "@merkle/wire/limits";
import { expect, it } from "vitest";
import { createReadWindow } from "./read-window.js";

const first = limits.unreadBytesMin;

function openWindow() {
  const pings: Buffer[] = [];
  let opened = 0;
  const window = createReadWindow({
    ask: (nonce) => pings.push(nonce),
    onOpened: () => {
      opened += 1;
    },
  });
  const answerLast = () => window.answer(Buffer.from(pings.at(-1) ?? []));
  return { window, asked: pings, answerLast, opened: () => opened };
}

it("[GUARD-17] [LIMIT-1] unreadBytesMin are sent to a client that has not shown that it reads, and not a byte more", () => {
  const { window, asked } = openWindow();
  window.countWritten(first);
  expect(window.closedSince).toBeNull();
  expect(asked).toHaveLength(1);
  window.countWritten(1);
  expect(window.closedSince).not.toBeNull();
  expect(asked).toHaveLength(1);
});

it("[GUARD-17] each answer doubles it, until nothing is asked any more", () => {
  const { window, asked, answerLast, opened } = openWindow();
  let bytes = first;
  for (; bytes <= 4 * 1024 * 1024; bytes *= 2) {
    const before = opened();
    window.countWritten(bytes + 1);
    expect(window.closedSince, `${bytes}`).not.toBeNull();
    expect(answerLast()).toBe(true);
    expect(window.closedSince).toBeNull();
    expect(opened()).toBe(before + 1);
  }
  const before = asked.length;
  window.countWritten(100 * bytes);
  expect(window.closedSince).toBeNull();
  expect(asked).toHaveLength(before);
});

it("[GUARD-17] what was not asked, or was answered before, shows nothing", () => {
  const { window, asked, answerLast } = openWindow();
  expect(window.answer(Buffer.alloc(0))).toBe(false);
  window.countWritten(first + 1);
  expect(window.answer(Buffer.alloc(asked[0]?.length ?? 0))).toBe(false);
  expect(window.closedSince).not.toBeNull();
  const [nonce = Buffer.alloc(0)] = asked;
  expect(answerLast()).toBe(true);
  expect(window.answer(nonce)).toBe(false);
});

it("[GUARD-17] an answer opens it only when what came after the question is little enough", () => {
  const { window, answerLast, opened } = openWindow();
  window.countWritten(first);
  window.countWritten(3 * first);
  expect(answerLast()).toBe(true);
  expect(window.closedSince).not.toBeNull();
  expect(opened()).toBe(0);
  // The test writes nothing more, so the window itself must send the missing ping.
  expect(answerLast()).toBe(true);
  expect(window.closedSince).toBeNull();
});
