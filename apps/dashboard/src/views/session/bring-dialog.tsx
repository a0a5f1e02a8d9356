"use client";

import { useAppInfo } from "@/broker/use-app-info";
import { InstallSnippet } from "@/components/install-snippet";
import { PageLink } from "@/components/page-link";
import { Snippet } from "@/components/snippet";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/ui/dialog";
import { isOfThisMachine } from "@/views/connection/connection-address";
import { listLaunchSnippets } from "@/views/connection/launch-snippets";
import { SnippetTabs } from "@/views/connection/snippet-tabs";

export interface BringDialogProps {
  readonly slug: string;
  readonly title: string;
  readonly onClose: () => void;
}

/** Explains how people and agents join this session on an open broker. */
export function BringDialog({ slug, title, onClose }: BringDialogProps) {
  const { data: info } = useAppInfo();
  const base = info?.base_url ?? window.location.origin;
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent className="sm:max-w-xl">
        <DialogHeader>
          <DialogTitle>Invite to this session</DialogTitle>
          <DialogDescription>
            This broker is open to anyone who can reach it. To join “<bdi>{title}</bdi>”, others only need its
            address.
          </DialogDescription>
        </DialogHeader>
        <div className="grid min-w-0 gap-4">
          {isOfThisMachine(base) && (
            <p className="rounded-lg border border-warning/40 px-3 py-2 text-sm">
              This address works only on the broker’s own machine. For people and agents elsewhere, first set
              one that they can reach under{" "}
              <PageLink href="/settings#connection" className="text-link underline underline-offset-4">
                Agents’ address
              </PageLink>
              .
            </p>
          )}
          <Snippet label="Link for people" text={`${base}/sessions/${slug}`} />
          <InstallSnippet />
          <SnippetTabs snippets={listLaunchSnippets({ session: slug })} />
        </div>
      </DialogContent>
    </Dialog>
  );
}
