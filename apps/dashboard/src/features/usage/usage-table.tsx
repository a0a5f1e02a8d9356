"use client";

import type { InputOf, OutputOf, UsageRow } from "@merkle/wire";
import { useState } from "react";
import { useRead } from "@/broker/use-read";
import { PageLink } from "@/components/page-link";
import { ReadPanel } from "@/components/read-panel";
import { showHidden } from "@/text/markdown/hidden-characters";
import { Segmented } from "@/ui/segmented";

type Grouping = NonNullable<InputOf<"get_usage">["by"]>;

const labels: Readonly<Record<Grouping, string>> = {
  session: "Session",
  team: "Team",
  peer: "Peer",
  task: "Task",
  model: "Model",
  day: "Day",
};

export interface UsageTableProps {
  /** The id of a session. Default: all sessions. */
  readonly session?: string;
  /** The groupings to choose from. Default: the first. */
  readonly groupings: readonly [Grouping, ...Grouping[]];
}

/** The tokens that agents and runners reported. The broker measures nothing itself (USAGE-6). */
export function UsageTable({ session, groupings }: UsageTableProps) {
  const [by, setBy] = useState<Grouping>(groupings[0]);
  const input = { by, ...(session !== undefined && { session_id: session }) };
  const read = useRead("get_usage", input, { on: ["usage"], keepLast: true });
  return (
    <div className="grid gap-2">
      <Segmented
        label="Group by"
        value={by}
        onChange={setBy}
        options={groupings.map((value) => ({ value, label: labels[value] }))}
      />
      <ReadPanel read={read} failureTitle="Couldn't load usage.">
        {(data) =>
          data.rows.length === 0 ? (
            <p className="text-muted-foreground">
              No usage reported yet. Claude Code and Codex, started with merkle launch, report tokens at the
              end of each turn.
            </p>
          ) : (
            <Sums data={data} />
          )
        }
      </ReadPanel>
    </div>
  );
}

/** The usage of the whole mesh, for the settings. */
export function UsageOfMesh() {
  return <UsageTable groupings={["session", "team", "model", "day"]} />;
}

type Usage = OutputOf<"get_usage">;

const countLabels = ["Input", "Output", "Cache read", "Cache write"];

/** On a phone, each row shows its name and cost, with the token counts below. */
const cardClasses = "max-sm:grid max-sm:grid-cols-2 max-sm:py-1";

function Sums({ data: { by, rows, total, more } }: { readonly data: Usage }) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys. */}
      <section className="overflow-x-auto rounded-lg border" tabIndex={0} aria-label="Reported usage">
        <table className="w-full text-left tabular-nums max-sm:block">
          <thead className="max-sm:sr-only">
            <tr className="border-b text-sm text-muted-foreground">
              {[labels[by], ...countLabels, "Cost"].map((label, column) => (
                <th
                  key={label}
                  scope="col"
                  className={`px-3 py-2 font-medium whitespace-nowrap ${column > 0 ? "text-end" : ""}`}
                >
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="max-sm:block">
            {rows.map((row) => (
              <tr
                key={`${row.name} ${row.session} ${row.task} ${row.source}`}
                className={`border-b ${cardClasses}`}
              >
                <th
                  scope="row"
                  className="min-w-32 px-3 max-sm:px-2 py-1.5 font-normal [overflow-wrap:anywhere]"
                >
                  <RowName row={row} />
                </th>
                <Cells sums={row} />
              </tr>
            ))}
          </tbody>
          <tfoot className="max-sm:block">
            <tr className={`font-medium ${cardClasses}`}>
              <th scope="row" className="px-3 py-1.5 font-medium max-sm:px-2">
                Total
              </th>
              <Cells sums={total} />
            </tr>
          </tfoot>
        </table>
      </section>
      <p className="text-sm text-muted-foreground">
        Reported by agents&rsquo; clients and job runners, not measured here.
        {more > 0 && ` ${more} more rows: merkle usage.`}
      </p>
    </>
  );
}

function RowName({ row: { name, session, task, source } }: { readonly row: UsageRow }) {
  const text = task === null ? name || "No task" : `${task} ${name}`;
  const href =
    session === null
      ? null
      : task === null
        ? `/sessions/${session}`
        : `/sessions/${session}/tasks?task=${task}`;
  return (
    <>
      {href === null || name === "" ? (
        <bdi>{showHidden(text)}</bdi>
      ) : (
        <PageLink href={href} className="rounded-sm text-link hover:underline">
          <bdi>{showHidden(text)}</bdi>
        </PageLink>
      )}
      {source === "job" && name !== "jobs" && <span className="text-sm text-muted-foreground"> (jobs)</span>}
    </>
  );
}

function Cells({ sums }: { readonly sums: Usage["total"] }) {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd, cost_is_partial } =
    sums;
  const counts = [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens];
  return (
    <>
      {counts.map((count, column) => (
        <td
          key={countLabels[column]}
          data-label={countLabels[column]}
          className="px-3 py-1.5 text-end max-sm:flex max-sm:justify-between max-sm:px-2 max-sm:py-0.5 max-sm:text-sm max-sm:font-normal max-sm:before:text-xs max-sm:before:leading-5 max-sm:before:whitespace-nowrap max-sm:before:text-muted-foreground max-sm:before:content-[attr(data-label)]"
        >
          {count.toLocaleString("en")}
        </td>
      ))}
      <td className="[grid-area:1/2] px-3 py-1.5 text-end whitespace-nowrap max-sm:px-2">
        {cost_usd === null ? (
          <span className="text-muted-foreground">unknown</span>
        ) : (
          `${cost_is_partial ? "over " : ""}$${cost_usd.toFixed(2)}`
        )}
      </td>
    </>
  );
}
