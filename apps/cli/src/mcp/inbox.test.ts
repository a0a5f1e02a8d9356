import type { Message } from "@merkle/wire";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createInbox, type Inbox } from "./inbox.js";

function message(sequence: number, text = "hello"): Message {
  return {
    id: "5e551000-0000-4000-8000-000000000001",
    session_id: "5e551000-0000-4000-8000-000000000001",
    sequence,
    type: "chat",
    posted_by_team_id: null,
    from: { team: "Alder", human: false },
    to: ["*"],
    priority: "next",
    content: { text },
    posted_at: "2026-01-01T00:00:00.000Z",
  };
}

const all = () => true;
const sequences = (messages: readonly Message[] = []) => messages.map(({ sequence }) => sequence);

function read(inbox: Inbox): number[] {
  const page = inbox.takePage(all);
  page?.settle(true);
  return sequences(page?.messages);
}

it("[STDIO-5] a push and a wait's reply that bring the same message make one", () => {
  const inbox = createInbox(0);
  inbox.push(message(1));
  inbox.fill(0, [message(1), message(2)], 2);
  inbox.push(message(2));
  inbox.push(message(3));
  expect(read(inbox)).toEqual([1, 2, 3]);
  expect(inbox.place).toBe(3);
});

it("[STDIO-6] a page that did not arrive is handed out again, before what came later", () => {
  const inbox = createInbox(0);
  inbox.push(message(1));
  const page = inbox.takePage(all);
  inbox.push(message(2));
  expect(inbox.place).toBe(0);
  page?.settle(false);
  expect(read(inbox)).toEqual([1, 2]);
});

it("[STDIO-5] the place never passes over a page that is still under way", () => {
  const inbox = createInbox(0);
  inbox.push(message(1));
  const first = inbox.takePage(all);
  inbox.push(message(2));
  inbox.takePage(all)?.settle(true);
  expect(inbox.place).toBe(0);
  first?.settle(true);
  expect(inbox.place).toBe(2);
});

it("[STDIO-5] what does not fit stays at the broker, and nothing is taken before it has been read", () => {
  const inbox = createInbox(0, { messagesMax: 2, charsMax: 1_000_000 });
  for (const sequence of [1, 2, 3, 4]) inbox.push(message(sequence));
  expect(read(inbox)).toEqual([1, 2]);
  expect(inbox.isDrained).toBe(false);
  inbox.push(message(5));
  expect(read(inbox)).toEqual([]);
  inbox.fill(2, [message(3), message(4)], 4);
  expect(read(inbox)).toEqual([3, 4]);
  inbox.fill(4, [message(5)], 5);
  inbox.push(message(6));
  expect(read(inbox)).toEqual([5, 6]);
  expect(inbox.isDrained).toBe(true);
});

it("[STDIO-5] messages in any mixture of pushes, replies, lost and arrived pages come once, in order, without a gap", () => {
  const step = fc.constantFrom("push", "push", "wait", "arrive", "lose", "take");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, messagesMax) => {
      const inbox = createInbox(0, { messagesMax, charsMax: 1_000_000 });
      const arrived: number[] = [];
      let head = 0;
      let page: ReturnType<Inbox["takePage"]> = null;
      const settle = (didArrive: boolean) => {
        if (page && didArrive) arrived.push(...sequences(page.messages));
        page?.settle(didArrive);
        page = null;
      };
      const wait = () => {
        const after = inbox.place;
        const upTo = Math.min(head, after + 3);
        inbox.fill(
          after,
          Array.from({ length: upTo - after }, (_, i) => message(after + i + 1)),
          upTo,
        );
      };
      for (const each of steps) {
        if (each === "push") {
          head += 1;
          inbox.push(message(head));
        } else if (each === "wait" && !page) wait();
        else if (each === "take") page ??= inbox.takePage(all);
        else if (each !== "wait") settle(each === "arrive");
      }
      settle(false);
      while (inbox.place < head) {
        wait();
        page = inbox.takePage(all);
        settle(true);
      }
      expect(arrived).toEqual(Array.from({ length: head }, (_, i) => i + 1));
    }),
    { numRuns: 300 },
  );
});
