import {
  closeCodes,
  type ErrorCode,
  errorCodes,
  errorMeanings,
  isSessionOperation,
  limits,
  type Operation,
  operations,
  rateLimits,
} from "@merkle/wire";
import { describeLimits } from "./limit-table.js";
import { markdownTable } from "./markdown-table.js";

/**
 * Writes every generated table of a document anew. A table's place is between two comments,
 * `<!-- generated: operations -->` and `<!-- /generated -->`; everything outside stays as it is.
 *
 * @throws when a place names no table that there is, or has no end
 */
export function fillGeneratedTables(markdown: string): string {
  let filled = 0;
  const written = markdown.replace(place, (_place, name: string) => {
    filled += 1;
    return `<!-- generated: ${name} -->\n${renderTable(name)}\n<!-- /generated -->`;
  });
  const begun = markdown.split("<!-- generated:").length - 1;
  if (filled !== begun) throw new Error(`${begun - filled} of ${begun} generated tables have no end.`);
  return written;
}

// It stops at the next beginning, so that a table without an end swallows nothing.
const place = /<!-- generated: (.*) -->\n(?:(?!<!-- generated:)[\s\S])*?<!-- \/generated -->/g;

function renderTable(name: string): string {
  const render = Object.hasOwn(tables, name) ? tables[name] : undefined;
  if (!render) throw new Error(`There is no table "${name}"; there are ${Object.keys(tables).join(", ")}.`);
  return render();
}

const tables: Readonly<Record<string, () => string>> = {
  operations: () =>
    markdownTable(["Operation", "Route", "Access", "After closing"], operations.map(describe)),
  limits: () => markdownTable(["Name", "Limit", "Beyond it"], describeLimits(limits)),
  errors: () =>
    markdownTable(
      ["Code", "Status", "The same request can succeed later", "Meaning"],
      Object.entries(errorCodes).map(([code, { status, retry }]) => [
        `\`${code}\``,
        String(status),
        yesOrNo(retry),
        // The keys of the closed list are the codes.
        errorMeanings[code as ErrorCode],
      ]),
    ),
  rates: () =>
    markdownTable(
      ["Name", "At once", "A second, from then on"],
      Object.entries(rateLimits).map(([name, { burst, per_second }]) => [
        `\`${name}\``,
        burst.toLocaleString("en-US"),
        per_second.toLocaleString("en-US"),
      ]),
    ),
  "close-codes": () =>
    markdownTable(
      ["Code", "Reason", "Come back", "Meaning"],
      Object.entries(closeCodes).map(([reason, { code, reconnect, meaning }]) => [
        String(code),
        `\`${reason}\``,
        yesOrNo(reconnect),
        meaning,
      ]),
    ),
};

function describe(operation: Operation): string[] {
  const afterClosing = isSessionOperation(operation) ? operation.afterClosing : "–";
  return [`\`${operation.name}\``, `\`${operation.route}\``, operation.access, afterClosing];
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
