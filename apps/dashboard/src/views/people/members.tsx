"use client";

import type { Member } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { useState } from "react";
import { useBroker } from "@/broker/use-broker";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { useRead } from "@/broker/use-read";
import { DateText } from "@/components/date-text";
import { ProblemAlert } from "@/components/problem-alert";
import { Ended, ListRow, RowList } from "@/components/row-list";
import { Badge } from "@/ui/badge";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Skeleton } from "@/ui/skeleton";
import { EndButton } from "./end-button";
import { useIsAdmin } from "./use-is-admin";

/** The members of this mesh, former ones too. */
export function Members() {
  const { data, problem, refresh } = useRead("list_members", {});
  useKeptFresh(refresh);
  if (problem && !data) {
    return <ProblemAlert title="The members could not be read." problem={problem} onRetry={refresh} />;
  }
  if (!data) return <Skeleton className="h-16" />;
  const present = data.members.filter(({ revoked }) => revoked === null);
  const revoked = data.members.filter((member) => member.revoked !== null);
  return (
    <div className="grid gap-3">
      <RowList label="Members">
        {present.map((member) => (
          <MemberRow key={member.member_id} member={member} onChanged={refresh} />
        ))}
      </RowList>
      <Ended what="Revoked" count={revoked.length}>
        <RowList label="Revoked members">
          {revoked.map((member) => (
            <MemberRow key={member.member_id} member={member} onChanged={refresh} />
          ))}
        </RowList>
      </Ended>
    </div>
  );
}

function MemberRow({ member, onChanged }: { readonly member: Member; readonly onChanged: () => void }) {
  const isAdmin = useIsAdmin();
  const { name, role, own, joined_at, invite_id, revoked } = member;
  return (
    <ListRow
      title={
        <>
          <bdi className="font-medium">{name}</bdi>
          {own && <span className="text-muted-foreground">(you)</span>}
          {role === "admin" && <Badge>admin</Badge>}
        </>
      }
      facts={
        <>
          joined <DateText at={joined_at} />
          {invite_id !== null && ` by invite ${invite_id}`}
          {revoked && (
            <>
              {" "}
              · revoked <DateText at={revoked.at} /> by <bdi>{revoked.by}</bdi>
            </>
          )}
        </>
      }
      action={isAdmin && !own && revoked === null && <RevokeMember member={member} onChanged={onChanged} />}
    />
  );
}

function RevokeMember({ member, onChanged }: { readonly member: Member; readonly onChanged: () => void }) {
  const broker = useBroker();
  const { member_id, name } = member;
  const [reason, setReason] = useState("");
  return (
    <EndButton
      label={`Revoke ${name}`}
      title={
        <>
          Revoke <bdi>{name}</bdi>?
        </>
      }
      consequence="Agents, browsers and tokens of this member are cut off within a second. What was said and written stays. The key is never let in again."
      onEnd={(signal) => {
        const why = reason.trim();
        return broker.call("revoke_member", { member_id, ...(why !== "" && { reason: why }) }, { signal });
      }}
      onDone={onChanged}
    >
      <Field>
        <FieldLabel>Why, for the record</FieldLabel>
        <Input
          dir="auto"
          value={reason}
          maxLength={limits.reasonCharsMax}
          placeholder="optional"
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </EndButton>
  );
}
