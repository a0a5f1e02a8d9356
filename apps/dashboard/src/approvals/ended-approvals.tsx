import type { Approval } from "@merkle/wire";
import { approvalText } from "@merkle/wire/text";
import { TimeText } from "@/components/time-text";

const states: Readonly<Record<Approval["state"], string>> = {
  waiting: "Waits",
  allowed: "Allowed",
  denied: "Denied",
  left: "Left to the terminal",
  withdrawn: "Answered at the terminal",
  lapsed: "Not answered",
};

/** How the last ones ended. The record of the session has the same, with the hash in the place of the text. */
export function EndedApprovals({ ended }: { readonly ended: readonly Approval[] }) {
  return (
    <ul className="divide-y">
      {ended.map(({ approval, state, asked_by, tool, input, words, hash, asked_at, ended_at }) => (
        <li key={approval}>
          <details className="px-4 py-2.5">
            <summary className="cursor-pointer [overflow-wrap:anywhere]">
              <span className="font-medium">{states[state]}</span>: <bdi>{tool}</bdi> of <bdi>{asked_by}</bdi>{" "}
              <TimeText at={ended_at ?? asked_at} className="text-sm text-muted-foreground" />
            </summary>
            <pre className="mt-2 font-mono text-sm [overflow-wrap:anywhere] whitespace-pre-wrap">
              <code>{approvalText(input).text}</code>
            </pre>
            {words !== null && (
              <p className="mt-1 text-sm">
                The agent was told: <q dir="auto">{words}</q>
              </p>
            )}
            <p className="mt-1 font-mono text-xs text-muted-foreground [overflow-wrap:anywhere]">{hash}</p>
          </details>
        </li>
      ))}
    </ul>
  );
}
