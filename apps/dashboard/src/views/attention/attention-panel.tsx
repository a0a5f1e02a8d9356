"use client";

import type { AttentionItem } from "@merkle/wire";
import { useState } from "react";
import { Panel } from "@/components/panel";
import { ProblemAlert } from "@/components/problem-alert";
import { useAttention } from "@/components/use-attention";
import { Button } from "@/ui/button";
import { AttentionRow } from "./attention-row";

/** The items that need a human, most pressing first. Nothing leaves the list but by what resolves it, or for oneself. */
export function AttentionPanel() {
  const [withDismissed, setWithDismissed] = useState(false);
  const attention = useAttention({ dismissed: withDismissed });
  const { data, problem, refresh } = attention;
  if (data === undefined && problem === undefined) return null;
  const items = data?.items ?? [];
  const putAway = withDismissed ? items.filter(isPutAway).length : (data?.dismissed ?? 0);
  if (items.length === 0 && putAway === 0 && problem === undefined) return null;
  return (
    <div id="needs-you" className="mb-8 scroll-mt-16">
      <Panel
        level={2}
        title="Needs you"
        note={
          putAway > 0 && (
            <Button
              variant="ghost"
              size="sm"
              aria-pressed={withDismissed}
              onClick={() => setWithDismissed(!withDismissed)}
            >
              {putAway} put away · {withDismissed ? "hide" : "show"}
            </Button>
          )
        }
      >
        {problem && (
          <ProblemAlert
            problem={problem}
            title="What needs you could not be read."
            stillWorks={data && "What is shown is from before."}
            onRetry={refresh}
            className="m-3"
          />
        )}
        <ul aria-label="Needs you" className="divide-y">
          {items.map((item) => (
            <AttentionRow key={item.id} item={item} onChanged={refresh} />
          ))}
        </ul>
        {items.length === 0 && !problem && (
          <p className="px-4 py-3 text-muted-foreground">Nothing needs you now.</p>
        )}
        {data !== undefined && data.total > items.length && (
          <p className="border-t px-4 py-2 text-sm text-muted-foreground">
            and {data.total - items.length} more, once these are done
          </p>
        )}
      </Panel>
    </div>
  );
}

export function isPutAway(item: AttentionItem): boolean {
  return item.dismissed || item.snoozed_until !== null;
}
