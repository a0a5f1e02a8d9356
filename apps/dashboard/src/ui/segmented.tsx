"use client";

import { type ReactNode, useId } from "react";
import { cn } from "@/core/utils";

export interface SegmentedProps<Value extends string> {
  /** Label for screen readers. */
  readonly label: string;
  readonly value: Value;
  readonly options: readonly { readonly value: Value; readonly label: ReactNode }[];
  readonly onChange: (value: Value) => void;
  readonly className?: string | undefined;
}

/** A choice among a few visible options: radio buttons styled as one control. */
function Segmented<Value extends string>({
  label,
  value,
  options,
  onChange,
  className,
}: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset
      data-slot="segmented"
      className={cn("inline-flex w-fit max-w-full flex-wrap rounded-lg border p-0.5", className)}
    >
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="relative inline-flex h-7 min-w-8 cursor-pointer items-center justify-center rounded-md px-2.5 text-sm text-muted-foreground outline-offset-2 outline-ring duration-150 motion-safe:transition-colors hover:text-foreground has-checked:bg-raised forced-colors:has-checked:outline-2 has-checked:font-medium has-checked:text-foreground has-focus-visible:outline-2 pointer-coarse:h-11 pointer-coarse:px-4"
        >
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="absolute inset-0 cursor-pointer appearance-none rounded-md outline-none"
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

export { Segmented };
