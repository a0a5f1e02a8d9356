import type { ComponentProps } from "react";
import { Dialog, DialogContent, DialogDescription, DialogHeader, DialogTitle } from "./dialog";

/** A dialog at the edge of the page. */
function SheetContent({ side = "right", ...props }: ComponentProps<typeof DialogContent>) {
  return <DialogContent data-slot="sheet-content" side={side} {...props} />;
}

export {
  Dialog as Sheet,
  DialogDescription as SheetDescription,
  DialogHeader as SheetHeader,
  DialogTitle as SheetTitle,
  SheetContent,
};
