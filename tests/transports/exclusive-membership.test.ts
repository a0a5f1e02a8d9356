import type { MerkleError } from "@merkle/wire";
import { beforeAll, beforeEach, expect, it, onTestFinished } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { joinMesh, startInviteBroker, type TestMember } from "../kit/members.js";
import { changeSettings } from "../kit/persons.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { transports } from "../kit/transports.js";

let broker: TestBroker;
let admin: TestMember;
let member: TestMember;
const cleanup = createCleanup();

beforeAll(async () => {
  ({ broker, admin } = await startInviteBroker(cleanup));
});

beforeEach(async () => {
  const { link } = await admin.call("create_invite", {});
  member = await joinMesh(broker.url, { invite: link, name: "Birch" }, onTestFinished);
});

const setExclusive = (exclusive_membership: boolean) =>
  admin.call("update_settings", { settings: { exclusive_membership } });

async function create(by: TestMember, title: string) {
  const { session_id, team_id, slug } = await by.call("create_session", {
    title,
    creator_team_name: "Birch",
  });
  return { session_id, team_id, slug };
}

async function refusalOf(call: Promise<unknown>): Promise<MerkleError> {
  return call.then(
    (output) => expect.fail(`was answered ${JSON.stringify(output)}`),
    (error) => error,
  );
}

it("[GUARD-13] a member's agents are in one open session at a time, once that is set", async () => {
  await setExclusive(false);
  const first = await create(member, "First");
  await setExclusive(true);
  const others = await create(admin, "The admin's");
  const refusal = await refusalOf(create(member, "Second"));
  expect(refusal).toMatchObject({ code: "conflict", details: { session: first.slug, team: "Birch" } });
  const joining = { session_id: others.session_id, team_name: "Birch" };
  expect((await refusalOf(member.call("join_session", joining))).code).toBe("conflict");
  // Rejoining the member's own session, or reading any other session, does not count as joining a second session.
  await member.call("join_session", { session_id: first.session_id, team_name: "Birch", peer_name: "aspen" });
  await member.call("get_history", { session_id: others.session_id });

  await member.call("leave_session", { session_id: first.session_id, team_id: first.team_id });
  const { team_id } = await member.call("join_session", joining);
  const back = { session_id: first.session_id, team_name: "Birch", team_id: first.team_id };
  expect((await refusalOf(member.call("join_session", back))).code).toBe("conflict");
  await admin.call("conclude_session", {
    session_id: others.session_id,
    team_id: others.team_id,
    summary_section: "Done.",
  });
  expect(team_id).not.toBe("");
  expect(await member.call("join_session", back)).toMatchObject({ resumed: true });
});

it("[GUARD-13] of two that are made at once one is made, and whoever was in several before stays in them", async () => {
  await setExclusive(false);
  const [one, two] = [await create(member, "One"), await create(member, "Two")];
  await setExclusive(true);
  for (const { session_id, team_id } of [one, two]) {
    await member.call("post_message", { session_id, team_id, content: { text: "still here" } });
    await member.call("join_session", { session_id, team_id, team_name: "Birch" });
    await member.call("leave_session", { session_id, team_id });
  }
  const made = await Promise.allSettled([create(member, "Three"), create(member, "Four")]);
  expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

it("[GUARD-13] people are in as many sessions as they like", async () => {
  await setExclusive(true);
  const { person_id } = await member.call("create_person", { name: "Birch" });
  for (const title of ["One", "Two"]) {
    const { session_id } = await member.call("create_session", { title, team_id: person_id });
    await member.call("post_message", { session_id, team_id: person_id, content: { text: "hello" } });
  }
});

it("[GUARD-13] in open mode the setting is refused, since a name could be taken by anyone", async () => {
  const { url } = await startTestBroker();
  const open = await transports.rest(url);
  const refused = await refusalOf(changeSettings(open, { settings: { exclusive_membership: true } }));
  expect(refused).toMatchObject({ code: "bad_request", message: expect.stringContaining("open mode") });
});
