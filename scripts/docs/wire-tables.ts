import { closeCodes, type ErrorCode, errorCodes, errorMeanings, isSessionOperation } from "@merkle/wire";
import { rateLimits, shares } from "@merkle/wire/limits";
import { operations } from "@merkle/wire/schemas";
import { formatMarkdownTable } from "../../apps/broker/src/transports/reference/markdown-table.js";

export function renderOperationTable(): string {
  return formatMarkdownTable(
    ["Operation", "Route", "Access", "Humans", "Toolset", "Listed", "Jobs", "Rate", "After closing"],
    operations.map((operation) => [
      `\`${operation.name}\``,
      `\`${operation.route}\``,
      operation.access,
      operation.human ?? "–",
      operation.toolset,
      yesOrNo(operation.unlisted !== true),
      operation.forJobs?.join(", ") ?? "–",
      operation.rate,
      isSessionOperation(operation) ? operation.afterClosing : "–",
    ]),
  );
}

export function renderErrorTable(): string {
  return formatMarkdownTable(
    ["Code", "Status", "Retry can succeed", "Meaning"],
    Object.entries(errorCodes).map(([code, { status, retry }]) => [
      `\`${code}\``,
      String(status),
      yesOrNo(retry),
      // The object's keys are exactly the error codes.
      errorMeanings[code as ErrorCode],
    ]),
  );
}

export function renderRateTable(): string {
  return formatMarkdownTable(
    ["Name", "Burst", "Per second after that"],
    Object.entries(rateLimits).map(([name, { burst, per_second }]) => [
      `\`${name}\``,
      burst.toLocaleString("en-US"),
      per_second.toLocaleString("en-US"),
    ]),
  );
}

export function renderShareTable(): string {
  return formatMarkdownTable(
    ["Name", "Per principal", "Per observer", "Waiting", "In total, running at the same time"],
    Object.entries(shares).map(([name, { each, observer, waiting, total }]) => [
      `\`${name}\``,
      ...[each, observer, waiting].map((count) => count.toLocaleString("en-US")),
      total === null ? "–" : String(total),
    ]),
  );
}

export function renderCloseCodeTable(): string {
  return formatMarkdownTable(
    ["Code", "Reason", "Reconnect", "Meaning"],
    Object.entries(closeCodes).map(([reason, { code, reconnect, meaning }]) => [
      String(code),
      `\`${reason}\``,
      yesOrNo(reconnect),
      meaning,
    ]),
  );
}

function yesOrNo(value: boolean): string {
  return value ? "yes" : "no";
}
