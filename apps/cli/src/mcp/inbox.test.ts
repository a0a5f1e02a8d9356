import type { Message } from "@merkle/wire";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createFeedEvent, createFeedMessage as message } from "../test-kit/feed-message.js";
import { createInbox, type Inbox, type Offer } from "./inbox.js";

const all = () => true;
const call = { by: "call" } as const;
const hook = (prompt: string) => ({ by: "hook", prompt }) as const;
const sequences = (messages: readonly Message[] = []) => messages.map(({ sequence }) => sequence);

/**
 * Reads all pending messages with a tool call whose answer is completely written. Returns their sequences.
 */
function read(mail: Inbox): number[] {
  const offer = mail.offer(call, all);
  offer?.settle(true);
  return sequences(offer?.messages);
}

function start(...numbers: number[]): Inbox {
  const mail = createInbox(0);
  for (const sequence of numbers) mail.push(message(sequence));
  return mail;
}

it("[STDIO-5] a push and a wait's reply that bring the same message make one", () => {
  const mail = start(1);
  mail.fill(0, [message(1), message(2)], 2);
  mail.push(message(2));
  mail.push(message(3));
  expect(read(mail)).toEqual([1, 2, 3]);
  mail.prove(call);
  expect(mail.ackCursor).toBe(3);
});

it("[REDACT-5] what was redacted is handed out without its text, also when it is handed out again", () => {
  const redacting = (sequence: number, redacted_sequence: number) => {
    const content = { event: "message_redacted", by: "Ana", redacted_sequence, reason: null, at: null };
    return createFeedEvent(sequence, "message_redacted", { content });
  };
  const mail = start(1, 2);
  const offer = mail.offer(call, ({ sequence }) => sequence === 1);
  mail.push(redacting(3, 2));
  mail.fill(0, [redacting(4, 1)], 4);
  offer?.settle(false);
  const contents = mail.offer(call, all)?.messages.map(({ content }) => content);
  expect(contents?.slice(0, 2)).toEqual([{ redacted: true }, { redacted: true }]);
});

it("[STDIO-6] a page that did not arrive is handed out again, before what came later", () => {
  const mail = start(1);
  const offer = mail.offer(call, all);
  mail.push(message(2));
  mail.prove(call);
  expect(mail.ackCursor).toBe(0);
  offer?.settle(false);
  expect(mail.offer(call, all)).toMatchObject({ cursor: 2, repeatedSequences: new Set() });
});

it("[STDIO-5] the place passes over a page when it was written and the next call begins, not before", () => {
  const mail = start(1);
  const first = mail.offer(call, all);
  mail.push(message(2));
  read(mail);
  mail.prove(call);
  expect(mail.ackCursor).toBe(0);
  first?.settle(true);
  expect(mail.ackCursor).toBe(0);
  mail.prove(call);
  expect(mail.ackCursor).toBe(2);
});

it("[STDIO-5] what does not fit stays at the broker, and nothing is taken before it has been read", () => {
  const mail = createInbox(0, { messagesMax: 2, charsMax: 1_000_000 });
  for (const sequence of [1, 2, 3, 4]) mail.push(message(sequence));
  expect(read(mail)).toEqual([1, 2]);
  expect(mail.isDrained).toBe(false);
  mail.push(message(5));
  expect(read(mail)).toEqual([]);
  mail.fill(2, [message(3), message(4)], 4);
  expect(read(mail)).toEqual([3, 4]);
  mail.fill(4, [message(5)], 5);
  mail.push(message(6));
  expect(read(mail)).toEqual([5, 6]);
  expect(mail.isDrained).toBe(true);
});

it("[CURSOR-9] the place passes over what is for others as soon as nothing else is unread, and not before", () => {
  const mail = start(4);
  expect(mail.ackCursor).toBe(0);
  mail.fill(0, [message(4)], 9);
  expect(mail.ackCursor).toBe(0);
  read(mail);
  mail.prove(call);
  expect(mail.ackCursor).toBe(9);
  mail.fill(9, [], 12);
  expect(mail.ackCursor).toBe(12);
});

it("[WAKE-4] what a hook offered is proved by a later hook of the same prompt, and by a call", () => {
  for (const evidence of [hook("p1"), call]) {
    const mail = start(1);
    mail.offer(hook("p1"), all)?.settle(true);
    expect(mail.ackCursor).toBe(0);
    mail.prove(evidence);
    expect(mail.ackCursor).toBe(1);
    expect(mail.offer(hook("p2"), all)).toBeNull();
  }
});

it("[WAKE-4] a hook of another prompt shows that it was lost: it is offered again, and said to be", () => {
  const mail = start(1);
  mail.offer(hook("p1"), all)?.settle(true);
  mail.push(message(2));
  mail.prove(hook("p2"));
  expect(mail.offer(hook("p2"), all)).toMatchObject({ cursor: 2, repeatedSequences: new Set([1]) });
  expect(mail.ackCursor).toBe(0);
});

it("[WAKE-4] what a call brought is kept by any later hook, and by no prompt's end taken back", () => {
  const mail = start(1);
  read(mail);
  mail.prove(hook("p2"));
  expect(mail.ackCursor).toBe(1);
});

it("[WAKE-4] where the client keeps a record, what evidence shows is acknowledged once that holds it", () => {
  const mail = createInbox(0, { isRecorded: true });
  for (const sequence of [1, 2]) mail.push(message(sequence));
  read(mail);
  mail.prove(call);
  expect(mail).toMatchObject({ ackCursor: 0, receivedCursor: 2, isUnrecorded: true, isOffering: true });
  mail.record(({ sequence }) => sequence === 1);
  expect(mail).toMatchObject({ ackCursor: 1, receivedCursor: 2, isUnrecorded: true });
  mail.record(({ sequence }) => sequence === 2);
  expect(mail).toMatchObject({ ackCursor: 2, receivedCursor: 2, isUnrecorded: false, isOffering: false });
});

it("[WAKE-4] what was set aside and comes later is acknowledged only once the client's record holds it, too", () => {
  const mail = createInbox(0, { isRecorded: true });
  for (const sequence of [1, 2, 3]) mail.push(message(sequence));
  mail.offer(call, all, ({ sequence }) => sequence === 1)?.settle(true);
  mail.prove(call);
  read(mail);
  mail.prove(call);
  mail.record(({ sequence }) => sequence === 3);
  expect(mail).toMatchObject({ ackCursor: 0, receivedCursor: 3 });
  mail.record(({ sequence }) => sequence === 1);
  expect(mail.ackCursor).toBe(1);
});

it("[WAKE-4] of what an earlier server handed out the model gets what it lacks, marked where it may have it", () => {
  const states = ["held", "perhaps", "lost"] as const;
  const earlier = { upTo: 3, classify: ({ sequence }: Message) => states[sequence - 1] ?? "lost" };
  const mail = createInbox(0, { earlier });
  for (const sequence of [1, 2, 3, 4]) mail.push(message(sequence));
  expect(mail.ackCursor).toBe(1);
  expect(mail.offer(call, all)).toMatchObject({ repeatedSequences: new Set([2]), cursor: 4 });
  expect(sequences(mail.peek(0, all))).toEqual([2, 3, 4]);
});

it("[WAKE-4] with the conversation goes whatever it was not proved to have", () => {
  const mail = start(1, 2);
  read(mail);
  mail.prove(call);
  mail.push(message(3));
  read(mail);
  mail.startOver();
  expect(mail.offer(call, all)).toMatchObject({ repeatedSequences: new Set([3]) });
});

it("[WAKE-7] who reads along takes nothing, and sees what is offered, too", () => {
  const mail = start(1, 2);
  mail.offer(hook("p1"), ({ sequence }) => sequence < 2)?.settle(true);
  expect(sequences(mail.peek(0, all))).toEqual([1, 2]);
  expect(sequences(mail.peek(1, all))).toEqual([2]);
  expect(sequences(mail.pending)).toEqual([2]);
  expect(mail.ackCursor).toBe(0);
});

it("[CURSOR-7] what is acknowledged by other means is dropped, also where it is under way", () => {
  const mail = start(1, 2, 3);
  const offer = mail.offer(call, ({ sequence }) => sequence < 3);
  mail.passUpTo(1);
  expect(mail.ackCursor).toBe(1);
  offer?.settle(true);
  mail.prove(call);
  expect(mail.ackCursor).toBe(2);
  mail.passUpTo(9);
  expect(mail.ackCursor).toBe(9);
  expect(mail.pending).toEqual([]);
});

it("[STDIO-5] messages in any mixture of pushes, replies, lost and arrived pages come once, in order, without a gap", () => {
  const step = fc.constantFrom("push", "push", "wait", "arrive", "lose", "take");
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 5 }), (steps, messagesMax) => {
      const mail = createInbox(0, { messagesMax, charsMax: 1_000_000 });
      const arrived: number[] = [];
      let head = 0;
      let offer: Offer | null = null;
      const settle = (didArrive: boolean) => {
        if (offer && didArrive) arrived.push(...sequences(offer.messages));
        offer?.settle(didArrive);
        offer = null;
      };
      const wait = () => {
        mail.prove(call);
        const after = mail.ackCursor;
        const upTo = Math.min(head, after + 3);
        const page = Array.from({ length: upTo - after }, (_, i) => message(after + i + 1));
        mail.fill(after, page, upTo);
      };
      for (const each of steps) {
        if (each === "push") {
          head += 1;
          mail.push(message(head));
        } else if (each === "wait" && !offer) wait();
        else if (each === "take") offer ??= mail.offer(call, all);
        else if (each !== "wait") settle(each === "arrive");
      }
      settle(false);
      while (mail.ackCursor < head) {
        wait();
        offer = mail.offer(call, all);
        settle(true);
      }
      expect(arrived).toEqual(Array.from({ length: head }, (_, i) => i + 1));
    }),
    { numRuns: 300 },
  );
});
