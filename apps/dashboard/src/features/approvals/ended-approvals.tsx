import type { Approval } from "@merkle/wire";
import { approvalText, shortAddress } from "@merkle/wire/text";
import { ChevronRight } from "lucide-react";
import { TimeText } from "@/components/time-text";

const states: Readonly<Record<Approval["state"], string>> = {
  waiting: "Waiting",
  allowed: "Allowed",
  denied: "Denied",
  left: "Left for the terminal",
  withdrawn: "Answered in the terminal",
  lapsed: "Not answered",
};

/**
 * The most recent approvals and their results. The session's record also contains them, with a hash instead of the
 * text.
 */
export function EndedApprovals({ ended }: { readonly ended: readonly Approval[] }) {
  return (
    <ul className="divide-y">
      {ended.map(({ approval, state, asked_by, tool, input, words, hash, asked_at, ended_at }) => (
        <li key={approval}>
          <details className="group px-4">
            <summary className="flex cursor-pointer flex-wrap items-baseline gap-x-3 py-2.5 pointer-coarse:min-h-11">
              <ChevronRight
                aria-hidden
                className="-mx-1 size-4 shrink-0 self-center text-muted-foreground group-open:rotate-90"
              />
              <span className="font-medium">{states[state]}</span>
              <span className="text-muted-foreground">
                <bdi>{tool}</bdi>, <bdi>{shortAddress(asked_by)}</bdi>
              </span>
              <code className="min-w-0 flex-1 basis-48 truncate text-sm group-open:invisible">
                {approvalText(input).text}
              </code>
              <TimeText at={ended_at ?? asked_at} className="text-sm text-muted-foreground" />
            </summary>
            <pre className="font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
              <code>{approvalText(input).text}</code>
            </pre>
            {words !== null && (
              <p className="mt-1 text-sm">
                Message to the agent: <q dir="auto">{words}</q>
              </p>
            )}
            <p className="mt-1 pb-2.5 font-mono text-xs text-muted-foreground [overflow-wrap:anywhere]">
              {hash}
            </p>
          </details>
        </li>
      ))}
    </ul>
  );
}
