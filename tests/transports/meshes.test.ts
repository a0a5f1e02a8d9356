import { MerkleError } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { beforeAll, describe, expect, it } from "vitest";
import { createCleanup } from "../kit/cleanup.js";
import { openAsMember, startInviteBroker, type TestMember } from "../kit/members.js";
import { makePerson } from "../kit/persons.js";
import { startTestBroker, type TestBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient, transports } from "../kit/transports.js";

async function codeOf(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(
    () => "answered",
    (error: unknown) => error,
  );
  return error instanceof MerkleError ? error.code : String(error);
}

const cleanup = createCleanup();

describe("meshes of a broker in open mode", () => {
  let broker: TestBroker;
  let transport: TransportClient;
  beforeAll(async () => {
    broker = await startTestBroker({}, cleanup);
    transport = await transports.rest(broker.url);
  });

  it("[ISOLATION-3] one that was made is entered by its name in any case, or its id, and lists its own alone", async () => {
    const { mesh_id, name } = await transport.call("create_mesh", { name: "Pricing" });
    expect(name).toBe("Pricing");
    await transport.call("create_session", { title: "In main", creator_team_name: "Birch" });
    for (const mesh of ["Pricing", "pricing", mesh_id]) {
      const there = await brokerTransports.rest(broker.url, { mesh });
      expect((await there.call("list_sessions", {})).sessions).toEqual([]);
      expect(await there.call("get_app_info", {})).toMatchObject({ mesh: "Pricing", mesh_id, auth: "open" });
    }
    const listed = await transport.call("list_meshes", {});
    expect(listed.meshes.map((mesh) => [mesh.name, mesh.sessions])).toEqual([
      ["main", 1],
      ["Pricing", 0],
    ]);
  });

  it("[LIMIT-1] a name has meshNameCharsMax characters, of a few kinds, and is taken once in any case", async () => {
    const name = "m".repeat(limits.meshNameCharsMax);
    expect(await codeOf(transport.call("create_mesh", { name }))).toBe("answered");
    expect(await codeOf(transport.call("create_mesh", { name: name.toUpperCase() }))).toBe("conflict");
    expect(await codeOf(transport.call("create_mesh", { name: "MAIN" }))).toBe("conflict");
    for (const wrong of [`${name}m`, "", "two words", "-first", "a/b", "näher\u202e"])
      expect(await codeOf(transport.callRaw("create_mesh", { name: wrong })), wrong).toBe("bad_request");
  });

  it("[MESH-8] whoever comes makes them up to a bound, beyond it a verified human alone", async () => {
    const { url } = await startTestBroker({}, cleanup);
    const open = await transports.rest(url);
    const make = (name: string, team_id?: string) =>
      open.call("create_mesh", { name, ...(team_id !== undefined && { team_id }) });
    const { person_id: guest } = await open.call("create_person", { name: "Bo" });
    const { person_id: owner } = await makePerson(open, "Ana");
    // One mesh already exists at the start.
    for (let count = 1; count < limits.openMeshesMax; count += 1) await make(`m${count}`);
    const more = await Promise.all([
      codeOf(make("more")),
      codeOf(make("more", guest)),
      codeOf(make("last", owner)),
    ]);
    expect(more).toEqual(["forbidden", "forbidden", "answered"]);
    expect((await open.call("list_meshes", {})).meshes).toHaveLength(limits.openMeshesMax + 1);
  });

  it("[IDEM-1] making one is repeated with its key, and makes it once", async () => {
    const input = { name: "Once", idempotency_key: "a-key-of-sixteen-or-more" };
    const first = await transport.call("create_mesh", input);
    expect(await transport.call("create_mesh", input)).toEqual(first);
  });
});

describe("meshes of a broker in invite mode", () => {
  let broker: TestBroker;
  let admin: TestMember;
  beforeAll(async () => {
    ({ broker, admin } = await startInviteBroker(cleanup));
  });

  it("[ENTER-1] its maker is its admin by the same key; a token of one mesh opens no other", async () => {
    const { mesh_id } = await admin.call("create_mesh", { name: "second" });
    const listed = await admin.call("list_meshes", {});
    expect(listed.meshes.map((mesh) => [mesh.name, mesh.role])).toEqual([
      ["main", "admin"],
      ["second", "admin"],
    ]);
    const there = openAsMember(broker.url, { ...admin, mesh_id }, cleanup);
    expect((await there.call("list_members", {})).members).toMatchObject([{ name: "Ana", role: "admin" }]);
    expect((await there.call("list_sessions", {})).sessions).toEqual([]);
    const { token } = await admin.call("issue_token", {});
    const mistaken = await brokerTransports.rest(broker.url, { token, mesh: "second" });
    expect(await codeOf(mistaken.call("list_sessions", {}))).toBe("not_found");
  });
});
