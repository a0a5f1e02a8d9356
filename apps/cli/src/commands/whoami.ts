import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import type { Config } from "../config.js";
import { exitCodes } from "../core/cli-error.js";
import { systemUserName } from "../identity/introduce.js";
import { listMembers } from "../identity/members.js";
import { findPerson } from "../identity/persons.js";
import { oneLine } from "../text/one-line.js";
import { meetMesh } from "../trust/require-known.js";

export const whoami: Command = {
  name: "whoami",
  summary: "show your broker, mesh and name here; does not create an account",
  examples: ["merkle whoami", "merkle whoami --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const found = await findSelf(broker, config);
    output.show(found, formatSelf(found, output));
    if (found.agent === null && found.person === null)
      output.note(`  you will be added as ${oneLine(found.name)} there`);
    return exitCodes.done;
  },
};

interface Self {
  readonly broker: string;
  /** Where the broker's address comes from. */
  readonly broker_from: string;
  readonly mesh: string;
  /** What this home's person is called, or will be. */
  readonly name: string;
  /** Null while nobody has written from here. */
  readonly person: { readonly person_id: string; readonly verified: boolean } | null;
  /** Null where the broker lets in whoever reaches it, or by a token. */
  readonly member: { readonly member_id: string; readonly role: string } | null;
  /** In the shell of an agent: as which team of which session it writes. */
  readonly agent: { readonly session: string; readonly team: string } | null;
  readonly home: string;
}

/** What this home holds of the broker's mesh; nothing is asked for that would make somebody. */
async function findSelf(broker: BrokerClient, config: Config): Promise<Self> {
  const meshId = await meetMesh(broker, { ...broker.address, home: config.home });
  const [{ mesh }, person, members] = await Promise.all([
    broker.call("get_app_info", {}),
    findPerson(config, meshId),
    listMembers(config.home),
  ]);
  const member = members.find((each) => each.mesh_id === meshId) ?? null;
  return {
    broker: broker.base,
    broker_from: config.broker.source,
    mesh,
    name: person?.name ?? member?.name ?? config.personName ?? systemUserName(),
    person: person && { person_id: person.person_id, verified: person.verified === true },
    member: member && { member_id: member.member_id, role: member.role },
    agent:
      config.session === undefined || config.team === undefined
        ? null
        : { session: config.session, team: config.team },
    home: config.home,
  };
}

function formatSelf({ broker, broker_from, mesh, name, person, member, agent, home }: Self, output: Output) {
  const kind = person === null ? "not joined yet" : person.verified ? "verified" : "guest";
  const rows: readonly (readonly [string, string])[] = [
    ["you", `${output.bold(oneLine(name))}, ${member === null ? kind : `${kind}, ${member.role}`}`],
    ...(agent === null
      ? []
      : [["posts as", `${oneLine(agent.team)} in ${oneLine(agent.session)}, this agent's shell`] as const]),
    ["broker", `${broker} (${broker_from}), mesh ${oneLine(mesh)}`],
    ["home", home],
  ];
  return rows.map(([left, right]) => `${output.dim(left.padEnd(10))}${right}`).join("\n");
}
