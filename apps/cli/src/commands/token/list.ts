import type { Token } from "@merkle/wire";
import { neutralise } from "@merkle/wire/text";
import { findBroker } from "../../broker/broker-client.js";
import type { Command } from "../../command/command.js";
import { type Column, limitFlag, readLimit, showList, webFlag } from "../../command/list.js";
import { exitCodes } from "../../core/cli-error.js";
import { isSet } from "../../core/flags.js";
import { openPage } from "../../identity/open-page.js";
import { toAge, toMoment } from "../../text/time.js";

export const tokenList: Command = {
  name: "token list",
  summary: "list your active tokens, signed-in browsers and view-only links (admins see all)",
  flags: [limitFlag(), webFlag],
  examples: ["merkle token list", "merkle token list --json token_id,label"],
  list: { operation: "list_tokens", rows: "tokens" },
  async run(context) {
    const { flags, config, signal } = context;
    const limit = readLimit(flags);
    const broker = await findBroker(config, signal);
    if (isSet(flags, "web")) return openPage(context, broker, "/settings?part=advanced");
    const answer = await broker.call("list_tokens", {});
    const rows = answer.tokens.slice(0, limit);
    await showList(
      {
        value: { ...answer, tokens: rows },
        rows,
        columns,
        total: answer.tokens.length,
        empty: "no tokens",
      },
      context,
    );
    return exitCodes.done;
  },
};

const columns: readonly Column<Token>[] = [
  { head: "Token", cell: ({ token_id }) => String(token_id) },
  { head: "Kind", cell: ({ kind }) => kind.replace("_", "-") },
  { head: "Label", widthMin: 12, cell: ({ label }) => neutralise(label ?? "") },
  {
    head: "Of",
    widthMin: 8,
    isOptional: true,
    cell: ({ member, session }) => neutralise(member ?? session?.slug ?? ""),
  },
  {
    head: "Last used",
    isOptional: true,
    cell: ({ last_used_at: at }) => (at === null ? "never used" : `used ${toAge(at)} ago`),
  },
  { head: "Expires", cell: ({ expires_at }) => `until ${toMoment(expires_at)}` },
];
