import { hash, randomBytes } from "node:crypto";
import { hashApproval, toDeviceId } from "@merkle/wire/identity";
import { onTestFinished } from "vitest";
import { makePerson } from "../kit/persons.js";
import { startOneBroker } from "../kit/test-broker.js";
import { brokerTransports, type TransportClient } from "../kit/transports.js";
import { download, importInto } from "../record/bundles.js";
import { createConcludedSession } from "../record/full-session.js";
import type { HireWriter } from "./lost-connections.js";
import { Broken } from "./rest.js";

/** Writers for every kind of row that must match a history or a counter. */
export const rowWriters = {
  async document({ call }) {
    const own = await join(call);
    return async (turn) => {
      await call("append_to_session_doc", { ...own, text: `line ${turn}` });
    };
  },

  async task({ call }) {
    const own = await join(call);
    return async (turn) => {
      const { task } = await call("create_task", { ...own, title: `task ${turn}` });
      await call("claim_task", { ...own, task });
      await call("finish_task", { ...own, task, result: "done" });
    };
  },

  async state({ call }) {
    const own = await join(call);
    return async (turn) => {
      await call("set_state", { ...own, key: `key-${turn % 3}`, value: { turn } });
      await call("set_state", { ...own, scope: "mesh", key: "shared", value: { turn } });
    };
  },

  async memory({ call }) {
    const { team_id } = await join(call);
    return async (turn) => {
      const { id } = await call("remember", { team_id, content: `thing ${turn}` });
      if (turn % 2 === 0) await call("forget", { team_id, id, reason: "even" });
    };
  },

  async approval({ call, repeat, transport }) {
    const own = await join(call);
    const { person_id: phone } = await makePerson(transport, "Ana");
    const sha256 = (bytes: Uint8Array) => hash("sha256", bytes, "buffer");
    const devices = [toDeviceId(phone, sha256) ?? ""];
    return async () => {
      const salt = randomBytes(32).toString("hex");
      const asked = { tool: "Bash", input: "{}", folder: "/work", salt, devices };
      const { approval } = await call("ask_approval", { ...own, ...asked });
      const { waiting } = await repeat(() => transport.call("list_approvals", { team_id: phone }));
      const shown = waiting.find((each) => each.approval === approval);
      if (!shown) throw new Error(`Approval ${approval} was asked and does not wait.`);
      const answer = { approval, decision: "allow", hash: hashApproval(shown, sha256) } as const;
      await call("answer_approval", { ...answer, team_id: phone });
    };
  },

  async proposal({ call, transport }) {
    const own = await join(call);
    const { person_id: ana } = await makePerson(transport, "Bo");
    const { team_id } = own;
    let version = 0;
    return async (turn) => {
      const content = `# Plan\n\n${turn}\n`;
      ({ version } = await call("update_session_doc", { ...own, content, expected_version: version }));
      const { topic_id } = await call("open_topic", { ...own, version, text: "Better, please." });
      const { proposal_id } = await call("insert_proposal", {
        ...{ team_id, topic_id, base_version: version, content: `${content}better\n`, note: "" },
      });
      const decision = turn % 2 === 0 ? "accept" : "reject";
      await call("decide_proposal", { proposal_id, decision, base: version, team_id: ana });
      if (decision === "accept") version += 1;
    };
  },

  async import({ repeat, transport }) {
    const origin = await startOneBroker({}, onTestFinished);
    const there = await brokerTransports.rest(origin.url);
    return async (turn) => {
      const { slug } = await createConcludedSession(there, `Imported ${turn}`);
      const bytes = await download(origin.url, slug);
      await repeat(async () => {
        const { status, body } = await importInto(transport.url, bytes);
        if (status === 503) throw new Broken("The import was not done.");
        if (status !== 200) throw new Error(JSON.stringify(body));
      });
    };
  },
} satisfies Record<string, HireWriter>;

async function join(call: TransportClient["call"]): Promise<{ session_id: string; team_id: string }> {
  const { session_id, team_id } = await call("create_session", {
    title: "Under fire",
    creator_team_name: "Atlas",
  });
  return { session_id, team_id };
}
