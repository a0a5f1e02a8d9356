import { Check, X } from "lucide-react";
import { TimeText } from "@/components/time-text";
import { cn } from "@/core/utils";
import { showHidden } from "@/text/markdown/hidden-characters";
import type { Excerpt, ExcerptRow } from "./check/excerpt";

/** The rows around the first wrong row, which is marked by more than colour. */
export function ExcerptTable({ excerpt }: { readonly excerpt: Excerpt }) {
  return (
    <div className="overflow-hidden rounded-lg border">
      <table aria-label="Nearby entries" className="w-full text-left text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Number</th>
            <th scope="col">Content</th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {excerpt.map((row) => (
            <Row key={row.line} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row: { log, number, by, at, text, problems } }: { readonly row: ExcerptRow }) {
  const isWrong = problems.length > 0;
  const Icon = isWrong ? X : Check;
  return (
    <tr data-wrong={isWrong || undefined} className={cn("align-top", isWrong && "bg-removed")}>
      <td className="py-2 ps-3">
        <Icon aria-hidden className={cn("mt-0.5 size-4", isWrong ? "text-danger" : "text-success")} />
        <span className="sr-only">{isWrong ? "wrong" : "intact"}</span>
      </td>
      <th scope="row" className="min-w-14 px-2 py-2 font-medium whitespace-nowrap tabular-nums">
        {log === "feed" ? "#" : "v"}
        {number}
      </th>
      <td className="w-full py-2 pe-3 [overflow-wrap:anywhere]">
        <p className="flex flex-wrap gap-x-2 text-muted-foreground">
          {by !== null && <bdi className="font-medium text-foreground">{showHidden(by)}</bdi>}
          {at !== null && <TimeText at={at} as="clock" className="tabular-nums" />}
        </p>
        <p dir="auto" className="line-clamp-2">
          {showHidden(text)}
        </p>
        {problems.map((each) => (
          <p key={each} className="font-medium text-danger">
            {each}
          </p>
        ))}
      </td>
    </tr>
  );
}
