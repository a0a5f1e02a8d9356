import type { Message } from "@merkle/wire";
import { expect, it, onTestFinished, vi } from "vitest";
import { createFeedEvent, createFeedMessage } from "../../test-kit/feed-message.js";
import { createInbox } from "../inbox.js";
import { createTurn } from "../turn.js";
import { findNudgeTime } from "../wake-rules.js";
import { createWaker, type Nudge, nudgeDelaysDefault } from "./wake.js";

interface Circumstances {
  wake?: "everything" | "addressed";
  othersOnline?: number;
  isBusy?: boolean;
  isDnd?: boolean;
  isWaiting?: boolean;
  turnRunsUntil?: number;
  mayInterrupt?: boolean;
}

/** Starts a waker whose clock the test controls. Records each nudge with its time. */
function startWaker(circumstances: Circumstances = {}) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let now = 0;
  let head = 0;
  let awaited = 0;
  const mail = createInbox(0);
  const nudges: (Nudge & { at: number })[] = [];
  const waker = createWaker({
    mail,
    isDnd: () => circumstances.isDnd ?? false,
    isWaiting: () => circumstances.isWaiting ?? false,
    getTurnEnd: () => circumstances.turnRunsUntil ?? 0,
    findNudgeTime: (message) =>
      findNudgeTime(message, () => ({
        ...{ team: "Birch", name: "atlas", groups: [] },
        wake: circumstances.wake ?? "everything",
        othersOnline: circumstances.othersOnline ?? 3,
      })),
    delays: nudgeDelaysDefault,
    isInterruptible: circumstances.mayInterrupt ?? false,
    onTurnAwaited: () => {
      awaited += 1;
    },
    send: async (nudge) => {
      if (circumstances.isBusy) return false;
      nudges.push({ ...nudge, at: now });
      return true;
    },
    now: () => now,
  });
  onTestFinished(() => waker.stop());
  const toMe = { to: ["Birch"] };
  return {
    waker,
    nudges,
    awaited: () => awaited,
    times: () => nudges.map(({ at }) => at),
    push(special: Partial<Message> = toMe) {
      head += 1;
      mail.push(createFeedMessage(head, special));
    },
    pushEvent(event: string, special: Partial<Message> = {}) {
      head += 1;
      mail.push(createFeedEvent(head, event, special));
    },
    read() {
      mail.offer({ by: "call" }, () => true)?.settle(true);
      mail.prove({ by: "call" });
    },
    /** Advances the clock in small steps. */
    pass(ms: number) {
      for (const end = now + ms; now < end; ) {
        now += 100;
        vi.advanceTimersByTime(100);
      }
    },
  };
}

it("[WAKE-9] mail to a peer wakes at once, and a burst once", () => {
  const { push, pass, nudges } = startWaker();
  for (let i = 0; i < 30; i += 1) push();
  pass(1_000);
  expect(nudges.map(({ unread }) => unread.length)).toEqual([30]);
});

it("[WAKE-9] agents' chat to everyone wakes after 15 s without more of it", () => {
  const { push, pass, times, nudges } = startWaker();
  push({});
  pass(10_000);
  push({});
  pass(14_900);
  expect(times()).toEqual([]);
  pass(100);
  expect(times()).toEqual([25_000]);
  expect(nudges[0]?.unread).toHaveLength(2);
});

it("[WAKE-9] an event that can wait wakes with the next message, or after five minutes", () => {
  const { push, pushEvent, read, pass, times, nudges } = startWaker();
  pushEvent("task_changed", { priority: "low" });
  pass(100_000);
  push();
  pass(100);
  expect(nudges.map(({ unread }) => unread.length)).toEqual([2]);
  read();
  pushEvent("task_changed", { priority: "low" });
  pass(299_900);
  expect(times()).toHaveLength(1);
  pass(100);
  expect(times().at(-1)).toBe(100_100 + 300_000);
});

it("[WAKE-9] agents' chat to everyone that does not pause wakes after 60 s", () => {
  const { push, pass, times } = startWaker();
  for (let count = 0; count < 7; count += 1) {
    push({});
    pass(9_000);
  }
  expect(times()).toEqual([60_000]);
});

it.each([
  ["to the peer", { to: ["Birch"] }],
  ["of a human", { from: { team: "Ana", human: true } }],
  ["that asks", { content: { text: "Why?", kind: "ask" } }],
  ["that names the peer", { content: { text: "@atlas knows" } }],
])("[WAKE-9] a message %s wakes at once, and its nudge covers the chat before it", (_what, special) => {
  const { push, pass, nudges, times, read } = startWaker();
  push({});
  pass(3_000);
  push(special);
  pass(100);
  expect(times()).toEqual([3_100]);
  expect(nudges[0]?.unread).toHaveLength(2);
  read();
  pass(100_000);
  expect(times()).toEqual([3_100]);
});

it("[WAKE-9] one nudge covers a change of a task and the message that follows it", () => {
  const { push, pushEvent, pass, nudges, times, read } = startWaker();
  pushEvent("task_changed");
  pass(3_000);
  push({});
  pass(2_000);
  expect(times()).toEqual([5_000]);
  expect(nudges[0]?.unread).toHaveLength(2);
  read();
  pushEvent("task_changed");
  push();
  pass(100);
  expect(times()).toEqual([5_000, 5_100]);
});

it("[WAKE-9] with one other agent online, chat to everyone wakes at once, also when the other leaves later", () => {
  const circumstances = { othersOnline: 1 };
  const { push, pass, read, waker, times } = startWaker(circumstances);
  push({});
  pass(100);
  expect(times()).toEqual([100]);
  read();
  circumstances.othersOnline = 2;
  push({});
  pass(1_000);
  expect(times()).toEqual([100]);
  circumstances.othersOnline = 1;
  waker.check();
  pass(100);
  expect(times()).toEqual([100, 1_200]);
});

it("[WAKE-20] who chose to be woken by what is addressed reads chat to everyone with the next nudge", () => {
  const { push, pass, nudges, times } = startWaker({ wake: "addressed" });
  push({});
  pass(100_000);
  expect(times()).toEqual([]);
  push();
  pass(100);
  expect(times()).toEqual([100_100]);
  expect(nudges[0]?.unread).toHaveLength(2);
});

it("[WAKE-9] a client that reports a turn is not nudged, and is when the turn is over", async () => {
  const circumstances = { isBusy: true };
  const { push, pass, times, waker } = startWaker(circumstances);
  push();
  pass(100);
  await Promise.resolve();
  circumstances.isBusy = false;
  waker.check();
  pass(100);
  expect(times()).toEqual([200]);
});

it("[WAKE-2] nothing of low priority and no usual event wakes, but the conclusion does", () => {
  const { push, pass, pushEvent, nudges } = startWaker();
  push({ to: ["Birch"], priority: "low" });
  push({ type: "system", event: "team_joined", from: null });
  push({ type: "system", event: "topic_opened", from: null });
  pass(10_000);
  expect(nudges).toEqual([]);
  pushEvent("session_concluded");
  pass(100);
  expect(nudges).toHaveLength(1);
});

it.each([
  ["a change of state that is watched", { event: "state_changed" }],
  ["a team that comes to a convener who is alone", { event: "team_joined", priority: "now" as const }],
])("[WAKE-2] %s wakes, but not through dnd", (_what, event) => {
  for (const isDnd of [false, true]) {
    const { push, pass, nudges } = startWaker({ isDnd });
    push({ type: "system", from: null, ...event });
    pass(3_000);
    expect(nudges).toHaveLength(isDnd ? 0 : 1);
  }
});

it("[WAKE-9] who is dnd is woken by priority now alone", () => {
  const { push, pass, nudges } = startWaker({ isDnd: true });
  push();
  pass(60_000);
  expect(nudges).toEqual([]);
  push({ to: ["Birch"], priority: "now" });
  pass(100);
  expect(nudges).toHaveLength(1);
});

it("[WAKE-9] who waits gets its mail by that, and is not woken", () => {
  const circumstances = { isWaiting: true };
  const { push, pass, nudges } = startWaker(circumstances);
  push();
  pass(5_000);
  expect(nudges).toEqual([]);
  circumstances.isWaiting = false;
  pass(1_100);
  expect(nudges).toHaveLength(1);
});

it("[WAKE-9] while a turn runs its hooks deliver; when it ended or fell silent, mail wakes", () => {
  const circumstances = { turnRunsUntil: 30_000 };
  const { push, pass, waker, times, awaited } = startWaker(circumstances);
  expect(awaited()).toBe(0);
  push();
  expect(awaited()).toBe(1);
  pass(29_000);
  expect(times()).toEqual([]);
  circumstances.turnRunsUntil = 40_000;
  pass(10_000);
  expect(times()).toEqual([]);
  circumstances.turnRunsUntil = 0;
  waker.check();
  pass(100);
  expect(times()).toEqual([39_100]);
});

it("[WAKE-9] priority now does not wait for a turn's end, and ends a tool only where that is allowed", () => {
  for (const mayInterrupt of [false, true]) {
    const { push, pass, nudges } = startWaker({ turnRunsUntil: 30_000, mayInterrupt });
    push({ to: ["Birch"], priority: "now" });
    pass(100);
    expect(nudges.map(({ canInterrupt: interrupts }) => interrupts)).toEqual([mayInterrupt]);
  }
});

it("[WAKE-10] unread mail is nudged for again after growing pauses, and then no more", () => {
  const { push, pass, times, nudges } = startWaker();
  push();
  pass(1_000_000);
  expect(times()).toEqual([100, 10_100, 40_100, 130_100, 400_100]);
  expect(nudges.map(({ number }) => number - (nudges[0]?.number ?? 0))).toEqual([0, 1, 2, 3, 4]);
  push();
  pass(200);
  expect(times()).toHaveLength(6);
});

it("[WAKE-10] what is read is nudged for no more, and later mail begins anew", () => {
  const { push, pass, read, times } = startWaker();
  push();
  pass(1_000);
  read();
  pass(100_000);
  expect(times()).toEqual([100]);
  push();
  pass(100);
  expect(times()).toEqual([100, 101_100]);
});

it("[WAKE-11] whoever asks for a nudge gets one, whatever there is", async () => {
  const { waker, push } = startWaker({ isDnd: true });
  push({ priority: "low" });
  expect(
    await waker.nudge(async ({ unread, canInterrupt: interrupts }) => [unread.length, interrupts]),
  ).toEqual([1, false]);
});

it("[WAKE-16] an interrupted turn holds nudges for 20 s or until the next hook, but not those of priority now", () => {
  let now = 1_000;
  const turn = createTurn(() => now);
  const prompt = {
    event: "UserPromptSubmit",
    sessionId: "s",
    promptId: "p",
    agentId: "",
    toolUseId: "",
  } as const;
  turn.recordHook(prompt);
  turn.interrupt();
  expect(turn).toMatchObject({ isInterrupted: true, runsUntil: 21_000 });
  const { push, pass, times } = startWaker({ turnRunsUntil: turn.runsUntil });
  push();
  pass(20_900);
  expect(times()).toEqual([]);
  pass(200);
  expect(times()).toEqual([21_000]);
  now = 2_000;
  turn.recordHook({ ...prompt, event: "Stop" });
  turn.end();
  expect(turn).toMatchObject({ isInterrupted: false, runsUntil: 0 });

  const urgent = startWaker({ turnRunsUntil: 21_000 });
  urgent.push({ to: ["Birch"], priority: "now" });
  urgent.pass(100);
  expect(urgent.times()).toHaveLength(1);
});
