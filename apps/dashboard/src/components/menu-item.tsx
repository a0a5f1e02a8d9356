import type { LucideIcon } from "lucide-react";

interface MenuItemProps {
  readonly icon: LucideIcon;
  readonly onClick: () => void;
  readonly disabled?: boolean;
  readonly children: string;
}

/** An action in a menu. */
export function MenuItem({ icon: Icon, onClick, disabled = false, children }: MenuItemProps) {
  return (
    <button
      type="button"
      disabled={disabled}
      onClick={onClick}
      className="flex min-h-8 items-center gap-2 rounded-md px-2 text-left hover:bg-raised disabled:opacity-50 pointer-coarse:min-h-11"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted-foreground" />
      {children}
    </button>
  );
}

/** The result of a menu action, shown below the item. */
export function MenuNote({ children }: { readonly children: string }) {
  return (
    <p
      role="status"
      className="ps-8 pe-2 text-sm [overflow-wrap:anywhere] text-muted-foreground empty:hidden"
    >
      {children}
    </p>
  );
}
