import { setTimeout as delay } from "node:timers/promises";
import { expect } from "vitest";
import { type Chance, createChance } from "./chance.js";
import type { Mesh } from "./mesh.js";
import type { ScriptedModel } from "./scripted-model.js";
import { countShown, listLetters } from "./shown.js";

/** The size of the campaign: a few minutes in a normal run, the full campaign with `MERKLE_TESTS=all`. */
const isLong = process.env["MERKLE_TESTS"] === "all";
export const sizes = isLong ? { deliveries: 500, kills: 42 } : { deliveries: 90, kills: 9 };
export const seed = Number(process.env["MERKLE_SEED"] ?? "1");
export const withinMs = isLong ? 3_600_000 : 900_000;
/** Longer than the longest pause between two nudges for the same messages. */
const readWithinMs = 360_000;

/** An agent at a terminal whose processes are killed. Its methods always act on its current processes. */
export interface Victim {
  readonly team: string;
  readonly model: Pick<ScriptedModel, "conversation" | "isResting">;
  /** Types a prompt. A busy agent may not accept it. */
  enter(prompt: string): Promise<void>;
  rests(): Promise<void>;
  killServer(): Promise<void>;
  /** Restarts the MCP server as a user would. */
  repairServer(): Promise<void>;
  killClient(chance: Chance): Promise<void>;
  /** Restarts the agent and resumes its conversation. */
  resume(): Promise<void>;
  /** True if nothing reaches the agent until a killed server is repaired, not even by hooks. */
  readonly needsServer?: boolean;
}

interface Member {
  readonly victim: Victim;
  /** The messages for this agent, in order. */
  readonly letters: string[];
}

/** Returns prompts that keep an agent busy. `nap` returns a step that sleeps for the given number of seconds. */
function toWorks(nap: (seconds: number) => string): readonly string[] {
  return [
    `${nap(0.2)} then ${nap(0.3)} then ${nap(0.1)} then say finished`,
    `${nap(0.7)} then say finished`,
    'call mcp__merkle__wait_for_messages {"timeout":2} then say enough',
    `call mcp__merkle__check_messages {} then ${nap(0.3)} then say enough`,
  ];
}

/**
 * Sends messages to agents, and kills their processes and the broker at points chosen by the seed. Some killed servers
 * are never repaired, and no prompt follows the last message. At the end, every message must be in its recipient's
 * conversation. First appearances must be in the order of sending, repeats must be marked, and only a small share of
 * the messages may be repeated.
 */
export async function runCampaign(
  mesh: Mesh,
  victims: readonly Victim[],
  nap: (seconds: number) => string,
  repeatedShare = 0.02,
): Promise<void> {
  const chance = createChance(seed);
  const works = toWorks(nap);
  const members: Member[] = victims.map((victim) => ({ victim, letters: [] }));
  const writeTo = (those: readonly Member[]) => writeSome(mesh, those, { chance, works });
  const unrepaired = new Set<Victim>();
  const repair = async (victim: Victim) => {
    await victim.repairServer();
    unrepaired.delete(victim);
  };
  const perKill = sizes.deliveries / sizes.kills;

  for (let killed = 0; killed < sizes.kills || countLetters(members) < sizes.deliveries; ) {
    await writeTo(members);
    if (countLetters(members) < (killed + 1) * perKill) continue;
    await delay(chance.below(500));
    const member = chance.pick(members);
    const { victim } = member;
    const what = chance.pick(["server", "client", "broker"] as const);
    killed += 1;
    if (what === "broker") {
      await mesh.killBroker();
      await delay(chance.below(1_000));
      await mesh.restartBroker();
    } else if (what === "server") {
      if (unrepaired.has(victim)) await repair(victim);
      await victim.killServer();
      unrepaired.add(victim);
      await writeTo(members);
      // Sometimes the simulated user notices the fault only after a while.
      if (chance.below(2) === 0) await delay(2_000 + chance.below(2_000));
      await writeTo(members);
      if (chance.below(2) === 0) await repair(victim);
    } else {
      await victim.killClient(chance);
      await writeTo(members.filter((each) => each !== member));
      await victim.resume();
      unrepaired.delete(victim);
    }
  }
  for (const victim of unrepaired) if (victim.needsServer) await repair(victim);
  for (const member of members) await untilRead(member);
  report(members, repeatedShare);
}

function countLetters(members: readonly Member[]): number {
  return members.reduce((sum, { letters }) => sum + letters.length, 0);
}

/** Sends messages to one agent or to all agents. At random, gives an agent a task first. */
async function writeSome(
  mesh: Mesh,
  members: readonly Member[],
  { chance, works }: { readonly chance: Chance; readonly works: readonly string[] },
): Promise<void> {
  const { victim: busy } = chance.pick(members);
  if (chance.below(3) === 0 && busy.model.isResting) await busy.enter(chance.pick(works)).catch(() => {});
  for (let count = 1 + chance.below(3); count > 0; count -= 1) {
    const to = chance.below(3) === 0 ? members : [chance.pick(members)];
    const { letter } = await mesh.write(to.length > 1 ? null : (to[0]?.victim.team ?? null));
    for (const { letters } of to) letters.push(letter);
    await delay(chance.below(150));
  }
}

/** Waits until the agent has read all its messages. Any unread message must wake the agent, even after a kill. */
async function untilRead({ victim, letters }: Member): Promise<void> {
  const isRead = () => letters.every((letter) => countShown(victim.model.conversation).has(letter));
  // A timeout is ignored here: `report` lists the missing messages later.
  await expect
    .poll(isRead, { timeout: readWithinMs, interval: 500 })
    .toBe(true)
    .catch(() => undefined);
  await victim.rests();
}

function report(members: readonly Member[], repeatedShare: number): void {
  const found = members.flatMap(({ victim, letters }) => {
    const shown = countShown(victim.model.conversation);
    return letters.map((letter) => ({
      team: victim.team,
      letter,
      times: 0,
      unmarked: 0,
      ...shown.get(letter),
    }));
  });
  const absent = found.filter(({ times }) => times === 0);
  const repeated = found.filter(({ times }) => times > 1);
  const unmarked = found.filter((each) => each.unmarked > 1);
  const late = members.flatMap(findLate);
  console.info(
    `${found.length} deliveries, ${sizes.kills} kills, seed ${seed}: ${absent.length} absent, ${repeated.length} repeated, ` +
      `${unmarked.length} of them without a mark; ${late.length} after a later one${late.length > 0 ? `: ${late.join(", ")}` : ""}.`,
  );
  expect(absent).toEqual([]);
  expect(unmarked).toEqual([]);
  expect(late).toEqual([]);
  // After a single kill, all messages that a hook delivered may be repeated. In a short run that can exceed 2 %.
  expect(repeated.length).toBeLessThanOrEqual(Math.max(repeatedShare * found.length, 4));
}

/** Returns the messages that arrived late, i.e. after a message that was sent later. */
function findLate({ victim, letters }: Member): string[] {
  const shown = [...new Set(listLetters(victim.model.conversation))];
  const places = shown.map((letter) => letters.indexOf(letter)).filter((place) => place >= 0);
  return places
    .filter((place, index) => places.slice(0, index).some((earlier) => earlier > place))
    .map((place) => `${victim.team} ${letters[place]}`);
}
