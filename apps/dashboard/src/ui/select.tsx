import { ChevronDown } from "lucide-react";
import type { ComponentProps } from "react";
import { cn } from "@/core/utils";

interface SelectProps<Value extends string> extends Omit<ComponentProps<"select">, "onChange" | "children"> {
  readonly value: Value;
  readonly options: readonly (readonly [value: Value, label: string])[];
  readonly onChange: (value: Value) => void;
}

/** A native select, which works well on every device. */
function Select<Value extends string>({ className, options, onChange, ...props }: SelectProps<Value>) {
  return (
    <span data-slot="select" className="relative inline-flex max-w-full min-w-0 items-center">
      <select
        className={cn(
          "h-8 min-w-0 appearance-none rounded-md border border-input bg-background pr-7 pl-2 text-base hover:bg-raised disabled:opacity-50 pointer-coarse:h-11",
          className,
        )}
        // Only values of `options` can be selected.
        onChange={(event) => onChange(event.target.value as Value)}
        {...props}
      >
        {options.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute right-2 size-3.5 text-muted-foreground"
      />
    </span>
  );
}

export { Select };
