import { setTimeout as delay } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import { type InteractiveAgent, reconnect, startAgent } from "../kit/agent.js";
import { chanceOf } from "../kit/chance.js";
import { type Machine, makeMachine } from "../kit/machine.js";
import { type Mesh, startMesh } from "../kit/mesh.js";
import { killProcess } from "../kit/processes.js";
import { countShown } from "../kit/shown.js";

/** How much is done: a few minutes of it in `npm run test:claude`, all of it where everything is asked for. */
const isLong = process.env["MERKLE_TESTS"] === "all";
const sizes = isLong ? { deliveries: 500, kills: 42 } : { deliveries: 90, kills: 9 };
const seed = Number(process.env["MERKLE_SEED"] ?? "1");

/** One of those who are written to, and whatever runs of it at this moment. */
interface Member {
  readonly team: string;
  readonly machine: Machine;
  agent: InteractiveAgent;
  /** What is for it, in order. */
  readonly letters: string[];
}

const kills = ["server", "client", "broker"] as const;

it(
  `[WAKE-4] [DELIVER-2] three agents whose processes are killed ${sizes.kills} times have each letter once in their conversation (seed ${seed})`,
  async () => {
    const chance = chanceOf(seed);
    const mesh = await startMesh(onTestFinished);
    const members: Member[] = [];
    for (const team of ["Birch", "Cedar", "Dune"]) members.push(await begin(mesh, team));

    let killed = 0;
    const perKill = sizes.deliveries / sizes.kills;
    while (killed < sizes.kills || countLetters(members) < sizes.deliveries) {
      if (countLetters(members) < (killed + 1) * perKill) await writeSome(mesh, members, chance);
      else {
        await killOne(mesh, members, { what: chance.pick(kills), chance });
        killed += 1;
      }
    }
    await untilRead(members);
    report(members, killed);
  },
  isLong ? 1_800_000 : 420_000,
);

async function begin(mesh: Mesh, team: string): Promise<Member> {
  const machine = await makeMachine(onTestFinished);
  const agent = await startAgent({ mesh, team, machine }, onTestFinished);
  await agent.prompt("say hello");
  await agent.rests();
  return { team, machine, agent, letters: [] };
}

function countLetters(members: readonly Member[]): number {
  return members.reduce((sum, { letters }) => sum + letters.length, 0);
}

type Chance = ReturnType<typeof chanceOf>;

/** Gives somebody something to do now and then, and writes to one of them or to all. */
async function writeSome(mesh: Mesh, members: readonly Member[], chance: Chance): Promise<void> {
  const busy = chance.pick(members);
  if (chance.below(3) === 0 && busy.agent.model.isResting)
    await busy.agent.terminal.enter(chance.pick(works)).catch(() => undefined);
  for (let count = 1 + chance.below(3); count > 0; count -= 1) {
    const to = chance.below(3) === 0 ? members : [chance.pick(members)];
    const { letter } = await mesh.write(to.length > 1 ? null : (to[0]?.team ?? null));
    for (const { letters } of to) letters.push(letter);
    await delay(chance.below(150));
  }
}

const sleep = (seconds: number) =>
  `call Bash ${JSON.stringify({ command: `sleep ${seconds}`, description: "Work" })}`;
const works = [
  `${sleep(0.2)} then ${sleep(0.3)} then ${sleep(0.1)} then say finished`,
  `${sleep(0.7)} then say finished`,
  'call mcp__merkle__wait_for_messages {"timeout":2} then say enough',
  `call mcp__merkle__check_messages {} then ${sleep(0.3)} then say enough`,
];

interface Kill {
  readonly what: (typeof kills)[number];
  readonly chance: Chance;
}

/** Kills one process right after something was written, at whatever point that is then, and repairs what does not by itself. */
async function killOne(mesh: Mesh, members: readonly Member[], { what, chance }: Kill): Promise<void> {
  await writeSome(mesh, members, chance);
  await delay(chance.below(500));
  const member = chance.pick(members);
  if (what === "broker") {
    await mesh.killBroker();
    await delay(chance.below(1_000));
    return mesh.restartBroker();
  }
  if (what === "server") {
    await killProcess((await member.agent.processes()).server.pid);
    await writeSome(mesh, members, chance);
    // Now and then its user takes a while to notice.
    if (chance.below(2) === 0) await delay(2_000 + chance.below(2_000));
    await writeSome(mesh, members, chance);
    return reconnect(member.agent);
  }
  await killProcess((await member.agent.processes()).claude.pid);
  await member.agent.terminal.ended;
  const { team, machine } = member;
  await writeSome(
    mesh,
    members.filter((each) => each !== member),
    chance,
  );
  member.agent = await startAgent({ mesh, team, machine, claudeArgs: ["--continue"] }, onTestFinished);
}

/** What nobody was woken for is read at the latest now. */
async function untilRead(members: readonly Member[]): Promise<void> {
  for (const { agent } of members) {
    await agent.rests();
    for (const word of ["one", "two"]) {
      await agent.prompt(`call mcp__merkle__check_messages {} then say ${word}`);
      await agent.rests();
    }
  }
}

function report(members: readonly Member[], killed: number): void {
  const found = members.flatMap(({ team, agent, letters }) => {
    const shown = countShown(agent.model.conversation);
    return letters.map((letter) => ({ team, letter, times: 0, unmarked: 0, ...shown.get(letter) }));
  });
  const absent = found.filter(({ times }) => times === 0);
  const repeated = found.filter(({ times }) => times > 1);
  const unmarked = found.filter((each) => each.unmarked > 1);
  console.info(
    `${found.length} deliveries, ${killed} kills, seed ${seed}: ${absent.length} absent, ${repeated.length} repeated, ` +
      `${unmarked.length} of them without a mark.`,
  );
  expect(absent).toEqual([]);
  expect(unmarked).toEqual([]);
  expect(repeated.length / found.length).toBeLessThanOrEqual(0.02);
}
