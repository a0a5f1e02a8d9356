"use client";

import { limits } from "@merkle/wire/limits";
import { Plus, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { Button } from "@/ui/button";
import { Input } from "@/ui/input";

const optionCharsMax = 200;

export interface OptionsEditorProps {
  readonly options: readonly string[];
  readonly onChange: (options: readonly string[]) => void;
}

/** Fields for the options of an ask. An ask without options accepts any answer. */
export function OptionsEditor({ options, onChange }: OptionsEditorProps) {
  /** Index of a field that was just added. It receives the focus after the next render. */
  const focusIndex = useRef<number>(null);
  const fields = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (focusIndex.current === null) return;
    fields.current?.querySelectorAll("input")[focusIndex.current]?.focus();
    focusIndex.current = null;
  });
  return (
    <fieldset ref={fields} className="flex flex-wrap items-center gap-2">
      <legend className="sr-only">Answer options</legend>
      {options.map((option, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: options have no identity but their place.
        <span key={index} className="flex w-44 items-center gap-1">
          <Input
            dir="auto"
            aria-label={`Option ${index + 1}`}
            placeholder={`Option ${index + 1}`}
            maxLength={optionCharsMax}
            value={option}
            onChange={(event) => onChange(options.with(index, event.target.value))}
          />
          <Button
            type="button"
            variant="ghost"
            size="icon"
            aria-label={`Remove option ${index + 1}`}
            onClick={() => onChange(options.toSpliced(index, 1))}
          >
            <X aria-hidden />
          </Button>
        </span>
      ))}
      {options.length < limits.optionsMax && (
        <Button
          type="button"
          variant="ghost"
          size="sm"
          onClick={() => {
            focusIndex.current = options.length;
            onChange(options.length === 0 ? ["", ""] : [...options, ""]);
          }}
        >
          <Plus aria-hidden /> {options.length === 0 ? "Add answer options" : "Add option"}
        </Button>
      )}
    </fieldset>
  );
}
