"use client";

import { PageLink } from "@/components/page-link";
import { Sheet, SheetContent, SheetTitle } from "@/ui/sheet";
import { settingsItem, useFeatureNavItems } from "./nav-items";

/** A sheet with the pages that are not in a phone's bottom bar. In large text, the bar has fewer pages. */
export function MoreSheet({ onClose }: { readonly onClose: () => void }) {
  const navItems = [...useFeatureNavItems(), settingsItem];
  return (
    <Sheet open onOpenChange={(open) => !open && onClose()}>
      <SheetContent side="bottom" className="p-3">
        <SheetTitle className="px-2 pt-1">More pages</SheetTitle>
        <div className="@container">
          <ul className="grid grid-cols-[repeat(auto-fill,minmax(6.5rem,1fr))] gap-1">
            {navItems.map(({ href, label, Icon, visibility }) => (
              <li
                key={href}
                className={
                  visibility === "used" || href === settingsItem.href ? undefined : "hidden @max-xs:block"
                }
              >
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
        </div>
      </SheetContent>
    </Sheet>
  );
}
