"use client";

import { useAppInfo } from "@/broker/use-app-info";
import { InstallSnippet } from "@/components/install-snippet";
import { Snippet } from "@/components/snippet";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "@/ui/dialog";
import { launchSnippets } from "@/views/connection/launch-snippets";
import { SnippetTabs } from "@/views/connection/snippet-tabs";

export interface BringDialogProps {
  readonly slug: string;
  readonly title: string;
  readonly onClose: () => void;
}

/** How people and agents come to this session, where the broker lets in whoever reaches it. */
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
          <Snippet label="Link for people" text={`${base}/sessions/${slug}`} />
          <InstallSnippet />
          <SnippetTabs snippets={launchSnippets({ session: slug })} />
        </div>
      </DialogContent>
    </Dialog>
  );
}
