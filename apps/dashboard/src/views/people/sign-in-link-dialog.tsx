"use client";

import { useBroker } from "@/broker/use-broker";
import { DateText } from "@/components/date-text";
import { Snippet } from "@/components/snippet";
import { CreateDialog } from "./make-dialog";

export interface SignInLinkDialogProps {
  readonly onMade: () => void;
  readonly onClose: () => void;
}

/** Creates a link that signs in one other browser as this member. */
export function SignInLinkDialog({ onMade, onClose }: SignInLinkDialogProps) {
  const broker = useBroker();
  return (
    <CreateDialog
      title="Sign in on another browser"
      description="Creates a link that signs in one other browser as you. Open it there within 10 minutes. That browser is signed out together with this one."
      submit="Create link"
      onMake={(signal) => broker.call("issue_token", { kind: "sign_in" }, { signal })}
      onMade={onMade}
      onClose={onClose}
      toResult={({ link, token, expires_at }) => ({
        title: "Your sign-in link",
        body: (
          <div className="grid min-w-0 gap-3">
            <Snippet label="Link" text={link ?? token} />
            <p className="text-sm text-muted-foreground">
              Works in one browser, until <DateText at={expires_at} />. Never share it: it signs in as you.
            </p>
          </div>
        ),
      })}
    />
  );
}
