import { randomUUID } from "node:crypto";
import type { OutputOf } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { createFakeRunner, type FakeRun } from "../kit/fake-runner.js";
import { changeSettings, makePerson } from "../kit/persons.js";
import { createTestSession, expectFailure, type TestSession } from "../kit/session.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";

const cleanup = createCleanup();
const fake = createFakeRunner();
let broker: TestBroker;
let rest: TransportClient;
let socket: TransportClient;
let ana: string;
let bo: string;
let session: TestSession;

beforeAll(async () => {
  broker = await startTestBroker({ agent: { ...fake.agent, maxConcurrentJobs: 4 } }, cleanup);
  rest = await brokerTransports.rest(broker.url);
  socket = await brokerTransports.websocket(broker.url);
  cleanup(socket.close);
  ana = (await makePerson(rest, "Ana")).person_id;
  bo = (await makePerson(rest, "Bo")).person_id;
});

beforeEach(async () => {
  session = await createTestSession(rest);
  await write(text, 0);
});

const text = "# Plan\n\none\ntwo\nthree\n\n## Next\n\nfour\nfive\n";
const better = text.replace("two", "TWO").replace("five\n", "FIVE\nsix\n");

const own = () => ({ session_id: session.sessionId, team_id: session.convener });
const write = (content: string, expected_version: number) =>
  rest.call("update_session_doc", { ...own(), content, expected_version });
const read = () => rest.call("read_session_doc", own());
const get = (proposal_id: number) => rest.call("get_proposal", { proposal_id });

const openTopic = async (version = 1) =>
  (await rest.call("open_topic", { ...own(), version, text: "Shorter, please." })).topic_id;

/** Creates a proposal by the convener's team for a new topic. */
async function propose(content = better, base_version = 1) {
  const topic_id = await openTopic(base_version);
  const given = { team_id: session.convener, topic_id, base_version, content, note: "Fewer words." };
  const { proposal_id } = await rest.call("insert_proposal", given);
  return { topic_id, proposal_id };
}

type Decision = Omit<Parameters<typeof decideAt>[1], "team_id">;
const decideAt = (
  transport: TransportClient,
  input: {
    proposal_id: number;
    decision: "accept" | "reject" | "return" | "rebase";
    team_id: string;
    base?: number;
    hunks?: string[];
    content?: string;
    remark?: string;
    idempotency_key?: string;
  },
) => transport.call("decide_proposal", input);
const decide = (input: Decision, team_id = ana) => decideAt(rest, { ...input, team_id });
const refusalOf = (input: Decision, team_id = ana) => expectFailure(decide(input, team_id));

async function startAgent(kind: "conclude" | "incorporate", topic_id?: number) {
  const asked = { kind, session_id: session.sessionId, team_id: session.convener };
  const { job_id } = await rest.call("start_job", { ...asked, ...(topic_id && { topic_id }) });
  return { job_id, ...(await nextAgent()) };
}

async function nextAgent(): Promise<{ run: FakeRun; agent: TransportClient }> {
  const run = await fake.next();
  return { run, agent: await brokerTransports.rest(broker.url, { token: run.job.credential }) };
}

const jobEnds = (job_id: number) => expect.poll(async () => (await rest.call("get_job", { job_id })).status);

describe("proposing", () => {
  it("[PROP-1] keeps the text, what it is made from and what it would change, and tells the topic", async () => {
    const { topic_id, proposal_id } = await propose();
    const shown = await get(proposal_id);
    expect(shown).toMatchObject({
      kind: "rewrite",
      session: session.slug,
      topic_id,
      revision: 1,
      base_version: 1,
      current_version: 1,
      stale: false,
      added: 3,
      removed: 2,
      note: "Fewer words.",
      proposed_by: "Atlas",
      job_id: null,
      status: "open",
      content: better,
    });
    expect(shown.hunks.map(({ id: _id, ...hunk }) => hunk)).toEqual([
      { section: "# Plan", old_start: 4, old_lines: ["two\n"], new_lines: ["TWO\n"] },
      { section: "## Next", old_start: 10, old_lines: ["five\n"], new_lines: ["FIVE\n", "six\n"] },
    ]);
    const { messages } = await rest.call("get_topic", { topic_id });
    expect(messages.at(-1)).toMatchObject({ text: "Fewer words." });
    expect((await read()).content).toBe(text);
  });

  it("[PROP-1] is counted in its topic, and a newer one replaces what is open", async () => {
    const { topic_id, proposal_id } = await propose();
    const given = { team_id: session.convener, topic_id, base_version: 1, content: `${text}more\n` };
    const second = await rest.call("insert_proposal", given);
    expect(second.revision).toBe(2);
    const { proposals } = await rest.call("list_proposals", { topic_id });
    expect(proposals.map(({ proposal_id: id, status }) => [id, status])).toEqual([
      [second.proposal_id, "open"],
      [proposal_id, "replaced"],
    ]);
    expect(await refusalOf({ proposal_id, decision: "reject" })).toMatchObject({
      code: "conflict",
      details: { status: "replaced" },
    });
  });

  it("[PROP-2] refuses what changes nothing, a base that is none, and a closed topic", async () => {
    const topic_id = await openTopic();
    const insert = (more: object) =>
      expectFailure(
        rest.callRaw("insert_proposal", {
          team_id: session.convener,
          topic_id,
          base_version: 1,
          content: better,
          ...more,
        }),
      );
    expect(await insert({ content: text })).toMatchObject({ code: "bad_request" });
    expect(await insert({ base_version: 2 })).toMatchObject({ code: "bad_request" });
    expect(await insert({ base_version: undefined, base_sha: "a".repeat(40) })).toMatchObject({
      code: "bad_request",
    });
    expect(await insert({ session_id: session.sessionId })).toMatchObject({ code: "bad_request" });
    expect(await insert({ topic_id: 999_999 })).toMatchObject({ code: "not_found" });
    const { team_id } = await rest.call("create_session", { title: "Else", creator_team_name: "Oak" });
    expect(await insert({ team_id })).toMatchObject({ code: "bad_request" });
    await rest.call("reply_to_topic", { team_id: session.convener, topic_id, close: "resolved" });
    expect(await insert({})).toMatchObject({ code: "conflict" });
  });

  it("[PROP-3] an agent proposes once, for the topic of its job and for no other", async () => {
    const [topic_id, other] = [await openTopic(), await openTopic()];
    const { agent, run, job_id } = await startAgent("incorporate", topic_id);
    const mine = { topic_id, base_version: 1, content: better };
    const elsewhere = [
      { ...mine, topic_id: other },
      { base_version: 1, content: "x", ...onSession() },
    ];
    for (const each of elsewhere) {
      expect(await expectFailure(agent.call("insert_proposal", each))).toMatchObject({ code: "forbidden" });
    }
    const keyed = { ...mine, idempotency_key: "once-and-no-second-time" };
    const made = await agent.call("insert_proposal", keyed);
    expect(await agent.call("insert_proposal", keyed)).toEqual(made);
    expect(await expectFailure(agent.call("insert_proposal", mine))).toMatchObject({ code: "conflict" });
    run.end({ exit_code: 0 });
    await jobEnds(job_id).toBe("succeeded");
    expect(await rest.call("get_job", { job_id })).toMatchObject({
      result: { kind: "proposal", id: made.proposal_id },
    });
    expect(await get(made.proposal_id)).toMatchObject({ proposed_by: null, job_id, revision: 1 });
    expect(await expectFailure(agent.call("insert_proposal", mine))).toMatchObject({ code: "unauthorized" });
  });

  it("[PROP-4] [LIMIT-1] notes, chosen hunks and pages have their limits", async () => {
    const topic_id = await openTopic();
    const insert = (note: string, content: string) =>
      rest.call("insert_proposal", { team_id: session.convener, topic_id, base_version: 1, content, note });
    expect(await expectFailure(insert("n".repeat(limits.proposalNoteCharsMax + 1), "x"))).toMatchObject({
      code: "bad_request",
    });
    const ids: number[] = [];
    for (let made = 0; made <= limits.proposalsPageDefault; made += 1) {
      ids.unshift((await insert("n".repeat(limits.proposalNoteCharsMax), `${made}`)).proposal_id);
    }
    const page = (more: object) => rest.call("list_proposals", { topic_id, ...more });
    const first = await page({});
    expect(first.proposals.map((each) => each.proposal_id)).toEqual(
      ids.slice(0, limits.proposalsPageDefault),
    );
    expect(first.has_more).toBe(true);
    const before = first.proposals.at(-1)?.proposal_id;
    expect(await page({ before })).toMatchObject({
      proposals: [{ proposal_id: ids.at(-1) }],
      has_more: false,
    });
    expect((await page({ limit: limits.proposalsPageMax })).proposals).toHaveLength(ids.length);
    expect(await expectFailure(page({ limit: limits.proposalsPageMax + 1 }))).toMatchObject({
      code: "bad_request",
    });
    const choose = (count: number) =>
      refusalOf({
        proposal_id: ids[0] ?? 0,
        decision: "accept",
        base: 1,
        hunks: Array.from({ length: count }, (_, at) => `${at}`),
      });
    expect((await choose(limits.hunksChosenMax)).code).toBe("conflict");
    expect((await choose(limits.hunksChosenMax + 1)).code).toBe("bad_request");
  });
});

const onSession = () => ({ session_id: session.sessionId });

describe("accepting", () => {
  it("[PROP-6] makes it the next version, names proposer and approver, and closes the topic", async () => {
    const { topic_id, proposal_id } = await propose();
    expect(await decide({ proposal_id, decision: "accept", base: 1 })).toMatchObject({
      status: "accepted",
      version: 2,
    });
    expect(await read()).toMatchObject({ content: better, version: 2 });
    const { versions } = await rest.call("list_doc_versions", own());
    expect(versions[0]).toMatchObject({ version: 2, written_by: "Atlas, approved by Ana" });
    expect(await rest.call("get_topic", { topic_id })).toMatchObject({
      status: "closed",
      closed: { by: "Ana", reason: "accepted" },
    });
    const { messages } = await rest.call("get_history", own());
    expect(messages.at(-1)).toMatchObject({ event: "topic_closed", topic_id, by: "Ana", reason: "accepted" });
    const accepted = await get(proposal_id);
    expect(accepted).toMatchObject({ status: "accepted", decided_by: "Ana", accepted_version: 2 });
    expect(accepted.hunks, "what it changed").toHaveLength(2);
  });

  it("[PROP-6] takes the chosen hunks alone, or what a person made of it; nothing of it is rejecting", async () => {
    const { proposal_id } = await propose();
    const [first, second] = (await get(proposal_id)).hunks;
    const accept = (more: object) =>
      rest.callRaw("decide_proposal", { proposal_id, decision: "accept", base: 1, team_id: ana, ...more });
    for (const bad of [
      { hunks: [] },
      { hunks: [first?.id], content: "both" },
      { content: text },
      { base: undefined },
    ]) {
      expect(await expectFailure(accept(bad)), JSON.stringify(bad)).toMatchObject({ code: "bad_request" });
    }
    expect(await expectFailure(accept({ hunks: [first?.id, "0123456789ab"] }))).toMatchObject({
      code: "conflict",
    });
    await accept({ hunks: [second?.id] });
    expect((await read()).content).toBe(text.replace("five\n", "FIVE\nsix\n"));

    const edited = await propose(better, 2);
    await decide({ proposal_id: edited.proposal_id, decision: "accept", base: 2, content: "Edited.\n" });
    expect(await read()).toMatchObject({ content: "Edited.\n", version: 3 });
  });

  it("[PROP-7] of two who accept and edit at once exactly one wins, and the other sees the new base", async () => {
    await rest.call("join_session", { ...onSession(), team_name: "Ana", team_id: ana });
    await rest.call("join_session", { ...onSession(), team_name: "Bo", team_id: bo });
    for (let version = 1; version <= 10; version += 1) {
      const { proposal_id, topic_id } = await propose(`${text}round ${version}\n`, version);
      const accept = (transport: TransportClient, team_id: string, content: string) =>
        decideAt(transport, { proposal_id, decision: "accept", base: version, content, team_id });
      const outcomes = await Promise.allSettled([
        accept(rest, ana, `Ana's ${version}\n`),
        accept(socket, bo, `Bo's ${version}\n`),
      ]);
      const won = outcomes.findIndex(({ status }) => status === "fulfilled");
      const [winner, loser] = won === 0 ? [outcomes[0], outcomes[1]] : [outcomes[1], outcomes[0]];
      expect(winner).toMatchObject({ status: "fulfilled", value: { version: version + 1 } });
      expect(loser).toMatchObject({
        status: "rejected",
        reason: { code: "conflict", details: { current_version: version + 1 } },
      });
      const name = won === 0 ? "Ana" : "Bo";
      expect(await read()).toMatchObject({ content: `${name}'s ${version}\n`, version: version + 1 });
      expect(await get(proposal_id)).toMatchObject({ status: "accepted", decided_by: name });
      expect(await rest.call("get_topic", { topic_id })).toMatchObject({ closed: { by: name } });
    }
  });

  it("[PROP-7] what is stale is refused with the new base, and nothing is written", async () => {
    const { proposal_id } = await propose();
    expect(await refusalOf({ proposal_id, decision: "accept", base: 0 })).toMatchObject({
      code: "conflict",
      details: { base_version: 1, current_version: 1 },
    });
    await write(text.replace("# Plan", "# The plan"), 1);
    for (const base of [1, 2]) {
      expect(await refusalOf({ proposal_id, decision: "accept", base })).toMatchObject({
        code: "conflict",
        details: { base_version: 1, current_version: 2, rebased: true },
      });
    }
    expect(await get(proposal_id)).toMatchObject({ status: "open", stale: true });
    expect((await read()).version).toBe(2);
  });

  it("[PROP-10] is for people alone", async () => {
    const { proposal_id } = await propose();
    const asTeam = decide({ proposal_id, decision: "accept", base: 1 }, session.convener);
    expect(await expectFailure(asTeam)).toMatchObject({ code: "forbidden" });
  });
});

describe("bringing onto the newest text", () => {
  it("[PROP-8] makes a new revision that is looked at again, without a run", async () => {
    const { topic_id, proposal_id } = await propose();
    expect((await refusalOf({ proposal_id, decision: "rebase" })).code).toBe("conflict");
    await write(text.replace("# Plan", "# The plan"), 1);
    const { status, next_proposal_id, conflicts } = await decide({ proposal_id, decision: "rebase" });
    expect({ status, conflicts }).toEqual({ status: "replaced", conflicts: 0 });
    const next = await get(next_proposal_id ?? 0);
    expect(next).toMatchObject({
      topic_id,
      revision: 2,
      base_version: 2,
      stale: false,
      content: better.replace("# Plan", "# The plan"),
      note: "Fewer words.\n\nRebased from v1 to v2.",
      proposed_by: "Atlas",
    });
    await decide({ proposal_id: next.proposal_id, decision: "accept", base: 2 });
    expect((await read()).content).toBe(next.content);
  });

  it("[PROP-8] keeps the newest text where both have changed, and says where", async () => {
    const { proposal_id } = await propose();
    await write(text.replace("two", "deux"), 1);
    const { next_proposal_id, conflicts } = await decide({ proposal_id, decision: "rebase" });
    expect(conflicts).toBe(1);
    expect(await get(next_proposal_id ?? 0)).toMatchObject({
      content: better.replace("TWO", "deux"),
      note: "Fewer words.\n\nRebased from v1 to v2; in one place both had changed, and the newest text was kept: # Plan.",
    });
    const gone = await propose(text.replace("two", "TWO"), 2);
    await write(text.replace("two", "zwei"), 2);
    expect(await refusalOf({ proposal_id: gone.proposal_id, decision: "rebase" })).toMatchObject({
      code: "conflict",
      details: { conflicts: 1 },
    });
    expect(await get(gone.proposal_id)).toMatchObject({ status: "open" });
  });
});

describe("asking for changes", () => {
  it("[PROP-9] says the remark in the topic and starts another run, or does neither", async () => {
    const { topic_id, proposal_id } = await propose();
    expect((await refusalOf({ proposal_id, decision: "return" })).code).toBe("bad_request");
    const busy = await startAgent("conclude");
    const refused = await refusalOf({ proposal_id, decision: "return", remark: "Keep the list." });
    expect(refused).toMatchObject({ code: "conflict", details: { job_id: busy.job_id } });
    expect(await get(proposal_id)).toMatchObject({ status: "open" });
    const count = (await rest.call("get_topic", { topic_id })).messages.length;
    busy.run.end({ exit_code: 1 });
    await jobEnds(busy.job_id).toBe("failed");

    const { job_id } = await decide({ proposal_id, decision: "return", remark: "Keep the list." });
    const { agent, run } = await nextAgent();
    expect(run.job).toMatchObject({ job_id, kind: "incorporate", parameters: { "Topic ID": `${topic_id}` } });
    const { messages } = await rest.call("get_topic", { topic_id });
    expect(messages).toHaveLength(count + 1);
    expect(messages.at(-1)).toMatchObject({ text: "Keep the list." });
    expect(await get(proposal_id)).toMatchObject({ status: "returned", remark: "Keep the list." });
    const again = await agent.call("insert_proposal", {
      topic_id,
      base_version: 1,
      content: `${text}list\n`,
    });
    expect(again.revision).toBe(2);
    run.end({ exit_code: 0 });
    await jobEnds(job_id ?? 0).toBe("succeeded");
  });

  it("[PROP-9] a rejected one leaves its topic open, and closing the topic rejects what is open", async () => {
    const { topic_id, proposal_id } = await propose();
    await decide({ proposal_id, decision: "reject", remark: "Not now." });
    expect(await rest.call("get_topic", { topic_id })).toMatchObject({ status: "open" });
    const given = { team_id: session.convener, topic_id, base_version: 1, content: `${text}more\n` };
    const next = await rest.call("insert_proposal", given);
    await rest.call("reply_to_topic", { team_id: session.convener, topic_id, close: "withdrawn" });
    expect(await get(next.proposal_id)).toMatchObject({ status: "rejected", decided_by: "Atlas" });
  });
});

describe("a decision that is repeated with its key", () => {
  it("[IDEM-1] returns its first result, whatever came of it", async () => {
    const decideTwice = async (decision: Decision) => {
      const input = { ...decision, team_id: ana, idempotency_key: randomUUID() };
      const first = await decideAt(rest, input);
      expect(await decideAt(rest, input), decision.decision).toEqual(first);
      return first;
    };
    const rejected = await propose();
    await decideTwice({ proposal_id: rejected.proposal_id, decision: "reject" });
    const returned = await propose();
    const { job_id } = await decideTwice({
      proposal_id: returned.proposal_id,
      decision: "return",
      remark: "Keep the list.",
    });
    (await fake.next()).end({ exit_code: 1 });
    await jobEnds(job_id ?? 0).toBe("failed");

    const { proposal_id } = await propose();
    await write(text.replace("# Plan", "# The plan"), 1);
    const { next_proposal_id } = await decideTwice({ proposal_id, decision: "rebase" });
    const accepted = { proposal_id: next_proposal_id ?? 0, decision: "accept" as const, base: 2 };
    expect(await decideTwice(accepted)).toMatchObject({ status: "accepted", version: 3 });

    const draft = { ...own(), base_version: 3, content: "All is decided." };
    const conclusion = await rest.call("insert_proposal", draft);
    expect(
      await decideTwice({ proposal_id: conclusion.proposal_id, decision: "accept", base: 3 }),
    ).toMatchObject({ version: 4 });
    expect(await read()).toMatchObject({ version: 4 });
  });
});

describe("a conclusion", () => {
  it("[PROP-11] is proposed by an agent, returned with what is to be changed, and accepted by concluding", async () => {
    const { agent, run, job_id } = await startAgent("conclude");
    const draft = { ...onSession(), base_version: 1, content: "All is decided." };
    const { proposal_id } = await agent.call("insert_proposal", draft);
    run.end({ exit_code: 0 });
    await jobEnds(job_id).toBe("succeeded");
    expect((await get(proposal_id)).hunks).toMatchObject([{ old_lines: [], new_lines: ["All is decided."] }]);

    const returned = await decide({ proposal_id, decision: "return", remark: "Name who\ndecided." });
    const second = await nextAgent();
    expect(second.run.job.parameters).toMatchObject({ "Changes asked for": "Name who\ndecided." });
    const better = await second.agent.call("insert_proposal", { ...draft, content: "Ana has decided." });
    expect(better.revision).toBe(2);
    second.run.end({ exit_code: 0 });
    await jobEnds(returned.job_id ?? 0).toBe("succeeded");

    await write(text.replace("one", "ONE"), 1);
    const accept = { proposal_id: better.proposal_id, decision: "accept" as const, base: 2 };
    expect(await refusalOf(accept)).toMatchObject({ details: { current_version: 2, rebased: true } });
    const { next_proposal_id } = await decide({ proposal_id: better.proposal_id, decision: "rebase" });
    const accepted = await decide({ ...accept, proposal_id: next_proposal_id ?? 0 });
    expect(accepted).toMatchObject({ status: "accepted", version: 3 });
    expect((await read()).content).toContain("## Conclusion\n\nAna has decided.");
    expect(await rest.call("get_session", own())).toMatchObject({ status: "closed" });
    const { versions } = await rest.call("list_doc_versions", own());
    expect(versions[0]).toMatchObject({ written_by: "agent, approved by Ana" });
  });

  it("[PROP-11] is accepted by whom the session lets conclude, and again after that", async () => {
    const convener = (await rest.call("create_session", { title: "Kept", team_id: bo })).session_id;
    await changeSettings(rest, {
      session_id: convener,
      team_id: bo,
      session_settings: { conclude_by: "convener" },
    } as never);
    const draft = (content: string, base_version: number) =>
      rest.call("insert_proposal", { session_id: convener, team_id: bo, base_version, content });
    const { proposal_id } = await draft("Done.", 0);
    const accept = { proposal_id, decision: "accept" as const, base: 0 };
    expect((await refusalOf(accept)).code).toBe("forbidden");
    expect(await get(proposal_id)).toMatchObject({ status: "open" });
    expect(await decide(accept, bo)).toMatchObject({ version: 1 });
    const revised = await draft("Done, and more.", 1);
    const again = { proposal_id: revised.proposal_id, decision: "accept" as const, base: 1 };
    expect(await decide(again, bo)).toMatchObject({ version: 2 });
    const { content } = await rest.call("read_session_doc", { session_id: convener });
    expect(content).toBe("## Conclusion\n\nDone, and more.\n");
  });

  it("[PROP-15] waits for nobody once the session is concluded without it, again after concluding as well", async () => {
    const draft = (base_version: number) =>
      rest.call("insert_proposal", { ...own(), base_version, content: "A draft." });
    const waiting = async () => (await rest.call("list_attention", { session: session.slug })).items;
    const conclude = (summary_section: string) =>
      rest.call("conclude_session", { ...own(), summary_section });
    const first = await draft(1);
    expect(await waiting()).toHaveLength(1);
    await conclude("Done by hand.");
    expect(await get(first.proposal_id)).toMatchObject({
      status: "rejected",
      decided_by: "Atlas",
      content: "A draft.",
    });
    expect(await waiting()).toEqual([]);
    expect(await refusalOf({ proposal_id: first.proposal_id, decision: "accept", base: 2 })).toMatchObject({
      code: "conflict",
      details: { status: "rejected" },
    });
    const second = await draft(2);
    await conclude("Done again.");
    expect(await get(second.proposal_id)).toMatchObject({ status: "rejected" });
    expect((await read()).content).toContain("Done again.");
  });

  it("[PROP-15] of accepting a draft and concluding without it at once the draft is decided once", async () => {
    const { proposal_id } = await rest.call("insert_proposal", {
      ...own(),
      base_version: 1,
      content: "A draft.",
    });
    const accept = { proposal_id, decision: "accept" as const, base: 1, team_id: ana };
    const accepted = await Promise.all([
      decideAt(socket, accept).then(
        () => true,
        () => false,
      ),
      rest.call("conclude_session", { ...own(), summary_section: "Done by hand." }),
    ]);
    expect((await get(proposal_id)).status).toBe(accepted[0] ? "accepted" : "rejected");
  });
});

describe("what waits for a human", () => {
  const items = async (): Promise<OutputOf<"list_attention">["items"]> =>
    (await rest.call("list_attention", { session: session.slug })).items;

  it("[PROP-12] is an open proposal, until it is decided", async () => {
    const { proposal_id } = await propose();
    expect(await items()).toMatchObject([
      { kind: "proposal", number: proposal_id, team: "Atlas", text: "+3 \u22122 to the document" },
    ]);
    await decide({ proposal_id, decision: "reject" });
    expect(await items()).toEqual([]);
  });

  it("[PROP-12] is a job that failed, until another one is started", async () => {
    const first = await startAgent("conclude");
    first.run.end({ exit_code: 3 });
    await jobEnds(first.job_id).toBe("failed");
    expect(await items()).toMatchObject([
      {
        kind: "job_failed",
        number: first.job_id,
        text: "conclude: Agent failed with exit code 3. See its log.",
      },
    ]);
    const second = await startAgent("conclude");
    expect(await items()).toEqual([]);
    second.run.end({ exit_code: 1 });
    await jobEnds(second.job_id).toBe("failed");
  });
});

it("[PROP-13] redacting what a proposal was made from takes its text away, and ends an open one", async () => {
  const { proposal_id } = await propose();
  await write("Without the secret.\n", 1);
  await rest.call("redact_message", { ...own(), team_id: ana, document_versions: { from: 1, to: 1 } });
  expect(await get(proposal_id)).toMatchObject({ status: "replaced", content: null, hunks: [] });
});
