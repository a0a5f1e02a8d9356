"use client";

import { PageLink } from "@/components/page-link";
import { Sheet, SheetContent, SheetTitle } from "@/ui/sheet";
import { settingsItem, useFeatureNavItems } from "./nav-items";

/** A sheet with the pages that are not in a phone's bottom bar. */
export function MoreSheet({ onClose }: { readonly onClose: () => void }) {
  const navItems = [
    ...useFeatureNavItems().filter(({ visibility: shown }) => shown === "used"),
    settingsItem,
  ];
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()}>
      <SheetContent side="bottom" className="p-3">
        <SheetTitle className="px-2 pt-1">More pages</SheetTitle>
        <ul className="grid grid-cols-3 gap-1">
          {navItems.map(({ href, label, Icon }) => (
            <li key={href}>
              <PageLink
                href={href}
                onClick={onClose}
                className="flex min-h-18 flex-col items-center justify-center gap-1.5 rounded-lg text-sm hover:bg-raised"
              >
                <Icon aria-hidden className="size-5 text-muted-foreground" />
                {label}
              </PageLink>
            </li>
          ))}
        </ul>
      </SheetContent>
    </Sheet>
  );
}
