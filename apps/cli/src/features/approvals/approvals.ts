import type { Approval } from "@merkle/wire";
import { hashApproval } from "@merkle/wire/identity";
import { formatApproval } from "@merkle/wire/text";
import { type BrokerClient, findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import type { Output } from "../../command/output.js";
import { CliError, exitCodes, usageError } from "../../core/cli-error.js";
import { toNumber } from "../../core/flag-values.js";
import { nodeCrypto } from "../../core/node-crypto.js";
import { getPersonActor } from "../../identity/actors.js";
import { findOwnPerson, getOwnPerson, isVerifiedHere } from "../../identity/own-person.js";
import { indentText, toOneLine } from "../../text/one-line.js";
import { toAge } from "../../text/time.js";

const decisions = ["allow", "deny", "leave"] as const;

export const approvals: Command = {
  name: "approvals",
  summary: "list your agents' permission requests; allow one once, deny it, or leave it to the terminal",
  arguments: [
    { name: "[decision]", summary: "allow, deny or leave (default: list the requests)" },
    { name: "[number]", summary: "approval number, from merkle approvals" },
    { name: "[words]", summary: "with deny: reason shown to the agent" },
  ],
  examples: [
    "merkle approvals",
    "merkle approvals allow 7",
    'merkle approvals deny 7 "not on the live database"',
  ],
  async run({ args: [word, text, words], config, output, signal }) {
    if (config.agentShell !== undefined)
      throw usageError(
        "Only a person can answer approval requests, and this is an agent's shell. Run the command in your own terminal.",
      );
    const decision = decisions.find((each) => each === word);
    if (word !== undefined && !decision)
      throw usageError(`Answer an approval with allow, deny or leave, got ${JSON.stringify(word)}.`);
    const broker = await findBroker(config, signal);
    const person = getPersonActor({ broker, config });
    const approval = decision ? toNumber(text ?? "", "An approval") : 0;
    if (!(await findOwnPerson(broker, config))) {
      if (decision) throw notWaiting(approval);
      // The list also shows this device, so reading it requires a person's credential. A guest's credential
      // would be refused.
      if (!(await isVerifiedHere(broker, config))) throw onlyVerified(broker);
      await getOwnPerson(broker, config);
    }
    const listed = await person.call("list_approvals", {});
    if (!decision) {
      if (output.json || listed.waiting.length > 0)
        output.show(listed, listed.waiting.map((each) => format(each, output)).join("\n\n"));
      else output.note("  no pending approvals on this device");
      output.note(`  this device: ${listed.device}`);
      const [first] = listed.waiting;
      if (first)
        output.note(
          `  next: merkle approvals allow ${first.approval}   ${output.dot}   merkle approvals deny ${first.approval} <why>`,
        );
      return exitCodes.done;
    }
    const target = listed.waiting.find((each) => each.approval === approval);
    if (!target) throw notWaiting(approval);
    // The answer contains a hash of exactly the text shown here, so it cannot apply to any other request.
    output.note(format(target, output));
    const hash = hashApproval(target, nodeCrypto.sha256);
    const reason = words === undefined ? {} : { words };
    const answer = await person.call("answer_approval", { approval, decision, hash, ...reason });
    output.show(answer, `${output.mark.ok} approval ${approval} ${answer.state}`);
    return exitCodes.done;
  },
};

function format(
  { approval, asked_by, session, tool, input, folder, asked_at }: Approval,
  output: Output,
): string {
  const { text, why } = formatApproval(input);
  return [
    `${output.bold(String(approval))}  ${toOneLine(tool)}   ${toOneLine(asked_by)} in ${toOneLine(session)}, ${toAge(asked_at)} ago`,
    `  in ${toOneLine(folder)}${why === null ? "" : `; reason given: ${toOneLine(why)}`}`,
    indentText(text),
  ].join("\n");
}

function onlyVerified({ base }: Pick<BrokerClient, "base">): CliError {
  return new CliError(
    "forbidden",
    `Only a verified person can answer approval requests, and no one has posted from this home at ${base} yet.`,
    { exitCode: exitCodes.refused, next: ["merkle join <invite>", "merkle open on the broker's machine"] },
  );
}

function notWaiting(approval: number): CliError {
  return new CliError("not_found", `No approval ${approval} is pending on this device.`, {
    exitCode: exitCodes.not_found,
    next: ["merkle approvals"],
  });
}
