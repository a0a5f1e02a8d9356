"use client";

import type { Token } from "@merkle/wire";
import { useState } from "react";
import { useBroker } from "@/broker/use-broker";
import { useKeptFresh } from "@/broker/use-kept-fresh";
import { useRead } from "@/broker/use-read";
import { DateText } from "@/components/date-text";
import { ProblemAlert } from "@/components/problem-alert";
import { ListRow, RowList } from "@/components/row-list";
import { TimeText } from "@/components/time-text";
import { lazyPart } from "@/core/lazy-part";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Skeleton } from "@/ui/skeleton";
import { describeBrowser } from "./describe-browser";
import { EndButton } from "./end-button";

const TokenDialog = lazyPart(() => import("./token-dialog"), "TokenDialog");
const SignInLinkDialog = lazyPart(() => import("./sign-in-link-dialog"), "SignInLinkDialog");

/** The tokens and links that admit programs and browsers without a key. Each row shows the last use and a button to revoke it. */
export function Tokens() {
  const { data, problem, refresh } = useRead("list_tokens", {});
  const [openDialog, setOpenDialog] = useState<"token" | "link" | null>(null);
  useKeptFresh(refresh);
  const close = () => setOpenDialog(null);
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setOpenDialog("token")}>New token…</Button>
        <Button variant="outline" onClick={() => setOpenDialog("link")}>
          Sign in on another browser…
        </Button>
      </div>
      {problem && <ProblemAlert title="Couldn't load tokens." problem={problem} onRetry={refresh} />}
      {data === undefined && problem === undefined && <Skeleton className="h-16" />}
      {data && data.tokens.length > 0 && (
        <RowList label="Tokens and browsers">
          {data.tokens.map((token) => (
            <TokenRow key={token.token_id} token={token} onChanged={refresh} />
          ))}
        </RowList>
      )}
      {data?.tokens.length === 0 && <p className="text-muted-foreground">No active tokens.</p>}
      {openDialog === "token" && <TokenDialog onMade={refresh} onClose={close} />}
      {openDialog === "link" && <SignInLinkDialog onMade={refresh} onClose={close} />}
    </div>
  );
}

const kinds: Readonly<Record<Token["kind"], { readonly name: string; readonly consequence: string }>> = {
  bearer: {
    name: "Token",
    consequence: "Programs using it and members who joined through it are disconnected within a second.",
  },
  browser: {
    name: "Browser",
    consequence:
      "Its pages are signed out within a second. Tokens, links and clients it authorised stop working.",
  },
  sign_in: { name: "Sign-in link", consequence: "The link no longer signs anyone in." },
  observer: { name: "View-only link", consequence: "People using it are disconnected within a second." },
  client: {
    name: "Client",
    consequence: "It is disconnected within a second. Its team stays, but is empty.",
  },
};

function TokenRow({ token, onChanged }: { readonly token: Token; readonly onChanged: () => void }) {
  const broker = useBroker();
  const { token_id, kind, label, member, session, created_at, expires_at, last_used_at } = token;
  const { name, consequence } = kinds[kind];
  const displayLabel = label === null ? null : kind === "browser" ? describeBrowser(label) : label;
  return (
    <ListRow
      title={
        <>
          <Badge>{name}</Badge>
          <bdi className="line-clamp-2 min-w-0 font-medium">
            {displayLabel ?? session?.title ?? `number ${token_id}`}
          </bdi>
        </>
      }
      facts={
        <>
          {member !== null && (
            <>
              of <bdi>{member}</bdi> ·{" "}
            </>
          )}
          {label !== null && session && (
            <>
              {kind === "browser" ? "views" : "to"} <bdi>{session.title}</bdi> ·{" "}
            </>
          )}
          {last_used_at === null ? (
            <>
              created <DateText at={created_at} />, not used yet
            </>
          ) : (
            <>
              last used <TimeText at={last_used_at} />
            </>
          )}{" "}
          · until <DateText at={expires_at} />
        </>
      }
      action={
        <EndButton
          label={`Revoke ${name.toLowerCase()} ${displayLabel ?? token_id}`}
          title={`Revoke this ${name.toLowerCase()}?`}
          consequence={consequence}
          onEnd={(signal) => broker.call("revoke_token", { token_id }, { signal })}
          onDone={onChanged}
        />
      }
    />
  );
}
