import { type BrokerClient, findBroker } from "../broker/broker-client.js";
import type { Command } from "../command/command.js";
import type { Output } from "../command/output.js";
import { exitCodes } from "../core/cli-error.js";
import { findSelf } from "../identity/actors.js";
import type { Config } from "../settings/config.js";
import { toOneLine } from "../text/one-line.js";

export const whoami: Command = {
  name: "whoami",
  summary: "show your broker, mesh and name here; does not create an account",
  examples: ["merkle whoami", "merkle whoami --json"],
  async run({ config, output, signal }) {
    const broker = await findBroker(config, signal);
    const self = await describeSelf(broker, config);
    output.show(self, formatSelf(self, output));
    if (self.agent === null && self.person === null)
      output.note(`  you will be added as ${toOneLine(self.name)} there`);
    return exitCodes.done;
  },
};

interface Identity {
  readonly broker: string;
  /** Where the broker's address comes from, such as a flag or variable. */
  readonly broker_from: string;
  readonly mesh: string;
  /** The person's name, or the name that the first write will use. */
  readonly name: string;
  /** This home's person. Null until the first write from this home. */
  readonly person: { readonly person_id: string; readonly verified: boolean } | null;
  /** This home's membership. Null if the broker is open to anyone, or if this machine uses a token. */
  readonly member: { readonly member_id: string; readonly role: string } | null;
  /** In an agent's shell, the session and team that commands act as. */
  readonly agent: { readonly session: string; readonly team: string } | null;
  readonly home: string;
}

async function describeSelf(broker: BrokerClient, config: Config): Promise<Identity> {
  const [{ mesh }, { name, person, member, agent }] = await Promise.all([
    broker.call("get_app_info", {}),
    findSelf({ broker, config }),
  ]);
  return {
    broker: broker.base,
    broker_from: config.broker.source,
    mesh,
    name,
    person: person && { person_id: person.person_id, verified: person.verified === true },
    member: member && { member_id: member.member_id, role: member.role },
    agent,
    home: config.home,
  };
}

function formatSelf(
  { broker, broker_from, mesh, name, person, member, agent, home }: Identity,
  output: Output,
) {
  const kind = person === null ? "not joined yet" : person.verified ? "verified" : "guest";
  const rows: readonly (readonly [string, string])[] = [
    ["you", `${output.bold(toOneLine(name))}, ${member === null ? kind : `${kind}, ${member.role}`}`],
    ...(agent === null
      ? []
      : [
          [
            "posts as",
            `${toOneLine(agent.team)} in ${toOneLine(agent.session)}, this agent's shell`,
          ] as const,
        ]),
    ["broker", `${broker} (${broker_from}), mesh ${toOneLine(mesh)}`],
    ["home", home],
  ];
  return rows.map(([left, right]) => `${output.dim(left.padEnd(10))}${right}`).join("\n");
}
