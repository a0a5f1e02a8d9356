"use client";

import type { Invite } from "@merkle/wire";
import { useState } from "react";
import { useBroker } from "@/broker/use-broker";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { useRead } from "@/broker/use-read";
import { DateText } from "@/components/date-text";
import { ProblemAlert } from "@/components/problem-alert";
import { Ended, ListRow, RowList } from "@/components/row-list";
import { lazyPart } from "@/core/lazy-part";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { EndButton } from "./end-button";

const InviteDialog = lazyPart(() => import("./invite-dialog"), "InviteDialog");

/** The invites of this mesh that this person may see: their purpose, remaining uses, and a button to revoke them. */
export function Invites() {
  const { data, problem, refresh } = useRead("list_invites", {});
  const [isMaking, setMaking] = useState(false);
  useKeptFresh(refresh);
  const invites = data?.invites ?? [];
  const open = invites.filter(({ state }) => state === "open");
  const ended = invites.filter(({ state }) => state !== "open");
  return (
    <div className="grid gap-3">
      <Button className="w-fit" onClick={() => setMaking(true)}>
        Invite people…
      </Button>
      {problem && <ProblemAlert title="Couldn't load invites." problem={problem} onRetry={refresh} />}
      {data === undefined && problem === undefined && <Skeleton className="h-16" />}
      {data && open.length === 0 && (
        <p className="text-muted-foreground">
          No open invites. Anyone who opens an invite link can become a member.
        </p>
      )}
      {open.length > 0 && (
        <RowList label="Open invites">
          {open.map((invite) => (
            <InviteRow key={invite.invite_id} invite={invite} onChanged={refresh} />
          ))}
        </RowList>
      )}
      <Ended what="Past invites" count={ended.length}>
        <RowList label="Past invites">
          {ended.map((invite) => (
            <InviteRow key={invite.invite_id} invite={invite} onChanged={refresh} />
          ))}
        </RowList>
      </Ended>
      {isMaking && <InviteDialog onMade={refresh} onClose={() => setMaking(false)} />}
    </div>
  );
}

function InviteRow({ invite, onChanged }: { readonly invite: Invite; readonly onChanged: () => void }) {
  const broker = useBroker();
  const { invite_id, state, role, session, inviter, own, uses_left, uses_max, expires_at } = invite;
  return (
    <ListRow
      title={
        <>
          <span className="font-medium tabular-nums">Invite {invite_id}</span>
          {state !== "open" && <Badge variant="outline">{state}</Badge>}
          {role === "admin" && <Badge variant="warning">admin</Badge>}
          {session && (
            <span className="min-w-0">
              to <bdi>{session.title}</bdi>
            </span>
          )}
        </>
      }
      facts={
        <>
          by {own ? "you" : <bdi>{inviter}</bdi>} ·{" "}
          {state === "open"
            ? `${uses_left} of ${uses_max} ${uses_max === 1 ? "use" : "uses"} left`
            : `used ${uses_max - uses_left} of ${uses_max} times`}{" "}
          · until <DateText at={expires_at} />
        </>
      }
      action={
        state === "open" && (
          <EndButton
            label={`Revoke invite ${invite_id}`}
            title={`Revoke invite ${invite_id}?`}
            consequence="Its link and code stop working. People who joined with it stay members."
            onEnd={(signal) => broker.call("revoke_invite", { invite_id }, { signal })}
            onDone={onChanged}
          />
        )
      }
    />
  );
}
