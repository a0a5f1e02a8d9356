"use client";

import { listInvited, type Member } from "@merkle/wire";
import { limits } from "@merkle/wire/limits";
import { useId, useState } from "react";
import { useBroker } from "@/broker/use-broker";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { useRead } from "@/broker/use-read";
import { DateText } from "@/components/date-text";
import { ProblemAlert } from "@/components/problem-alert";
import { Ended, ListRow, RowList } from "@/components/row-list";
import { Badge } from "@/ui/badge";
import { Checkbox } from "@/ui/checkbox";
import { Field, FieldLabel } from "@/ui/field";
import { Input } from "@/ui/input";
import { Skeleton } from "@/ui/skeleton";
import { EndButton } from "./end-button";
import { useIsAdmin } from "./use-is-admin";

/** Current and former members of this mesh. */
export function Members() {
  const { data, problem, refresh } = useRead("list_members", {});
  useKeptFresh(refresh);
  if (problem && !data) {
    return <ProblemAlert title="Couldn't load members." problem={problem} onRetry={refresh} />;
  }
  if (!data) return <Skeleton className="h-16" />;
  const currentMembers = data.members.filter(({ revoked }) => revoked === null);
  const revokedMembers = data.members.filter((member) => member.revoked !== null);
  const renderRow = (member: Member) => (
    <MemberRow
      key={member.member_id}
      member={member}
      invitees={listInvited(data.members, member)}
      onChanged={refresh}
    />
  );
  return (
    <div className="grid gap-3">
      <UnknownInviters members={currentMembers.filter(({ vouching }) => vouching === "unknown")} />
      <RowList label="Members">{currentMembers.map(renderRow)}</RowList>
      <Ended what="Revoked" count={revokedMembers.length}>
        <RowList label="Revoked members">{revokedMembers.map(renderRow)}</RowList>
      </Ended>
    </div>
  );
}

/** Lists the members without a known inviter, for admins. */
function UnknownInviters({ members }: { readonly members: readonly Member[] }) {
  const isAdmin = useIsAdmin();
  if (!isAdmin || members.length === 0) return null;
  return (
    <p className="text-sm text-muted-foreground">
      No known inviter: <Names of={members} />. They joined before inviters were recorded and keep their
      access. Invite them again to vouch for them.
    </p>
  );
}

function Names({ of }: { readonly of: readonly Member[] }) {
  return of.map(({ member_id, name }, index) => (
    <span key={member_id}>
      {index > 0 && ", "}
      <bdi>{name}</bdi>
    </span>
  ));
}

interface MemberRowProps {
  readonly member: Member;
  /** Members invited by this member, who can be revoked together with the member. */
  readonly invitees: readonly Member[];
  readonly onChanged: () => void;
}

function MemberRow({ member, invitees, onChanged }: MemberRowProps) {
  const isAdmin = useIsAdmin();
  const { name, role, own, joined_at, invite_id, vouching, invited_by, revoked } = member;
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
          {invited_by && (
            <>
              {" "}
              · {vouching === "program" ? "authenticated by a token of" : "invited by"}{" "}
              <bdi>{invited_by.name}</bdi>
              {invited_by.revoked && " (revoked)"}
            </>
          )}
          {revoked && (
            <>
              {" "}
              · revoked <DateText at={revoked.at} /> by <bdi>{revoked.by}</bdi>
            </>
          )}
        </>
      }
      action={
        isAdmin &&
        !own &&
        revoked === null && <RevokeMember member={member} invitees={invitees} onChanged={onChanged} />
      }
    />
  );
}

function RevokeMember({ member, invitees, onChanged }: MemberRowProps) {
  const broker = useBroker();
  const { member_id, name } = member;
  const [reason, setReason] = useState("");
  const [includesInvitees, setIncludesInvitees] = useState(false);
  const invitedId = useId();
  return (
    <EndButton
      label={`Revoke ${name}`}
      title={
        <>
          Revoke <bdi>{name}</bdi>?
        </>
      }
      consequence="Agents, browsers and tokens of this member are disconnected within a second. Their messages stay. The key can never be used again."
      onEnd={(signal) => {
        const trimmedReason = reason.trim();
        const input = {
          member_id,
          with_invited: includesInvitees,
          ...(trimmedReason !== "" && { reason: trimmedReason }),
        };
        return broker.call("revoke_member", input, { signal });
      }}
      onDone={onChanged}
    >
      {invitees.length > 0 && (
        <div className="grid grid-cols-[auto_1fr] gap-x-2">
          <Checkbox
            id={invitedId}
            checked={includesInvitees}
            className="mt-0.5"
            onChange={(event) => setIncludesInvitees(event.target.checked)}
          />
          <label htmlFor={invitedId}>
            Also revoke everyone <bdi>{name}</bdi> invited, directly or indirectly
            <span className="block text-sm text-muted-foreground">
              <Names of={invitees} />. Otherwise they stay members.
            </span>
          </label>
        </div>
      )}
      <Field>
        <FieldLabel>Reason (kept in the record)</FieldLabel>
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
