import { type ReactNode, useState } from 'react'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { branchLabels } from './branch-labels.ts'
import { branchesOf } from './field-kind.ts'
import type { SchemaFieldProps, ValueFieldProps } from './field-props.ts'
import type { Schema } from './json-schema.ts'
import { emptyValue } from './resolve-schema.ts'
import { type FieldErrors, findBranchIndex } from './validate-value.ts'

interface UnionFieldProps extends ValueFieldProps {
  readonly schema: Schema
  readonly root: Schema
  readonly errors: FieldErrors
  readonly at: string
  /** The value that stands for "none": null if the schema allows it, else undefined. */
  readonly noValue: null | undefined
  children(props: SchemaFieldProps): ReactNode
}

/** A union: select the type, then enter the value. */
export function UnionField({ label, hint, required, value, onChange, schema, root, errors, at, noValue, children }: UnionFieldProps) {
  const branches = branchesOf(schema)
  const [chosen, setChosen] = useState(() => (value === undefined || value === null ? undefined : findBranchIndex(branches, root, value)))
  const isOptional = !required || schema.nullable === true
  const index = chosen ?? (isOptional ? undefined : 0)
  const words = branchLabels(branches, root)
  const branch = index === undefined ? undefined : branches[index]
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border border-line px-4 pt-1 pb-3">
      <legend className="px-1 font-medium">
        {label}
        {required && <span className="text-danger"> *</span>}
      </legend>
      {hint && <p className="text-faint text-sm">{hint}</p>}
      <div>
        <SegmentedControl
          label={`Type of ${label}`}
          value={index === undefined ? 'none' : String(index)}
          options={[
            ...(isOptional ? [{ value: 'none', label: 'None' }] : []),
            ...words.map((word, place) => ({ value: String(place), label: word })),
          ]}
          onChange={(next) => {
            setChosen(next === 'none' ? undefined : Number(next))
            onChange(next === 'none' ? noValue : emptyValue(branches[Number(next)] ?? {}, root))
          }}
        />
      </div>
      {branch &&
        children({
          label: words[index ?? 0] ?? label,
          schema: { ...branch, title: words[index ?? 0] ?? label },
          root,
          required: true,
          isNested: true,
          value,
          errors,
          path: at,
          onChange,
        })}
      {!branch && errors[at] && <p className="text-danger text-sm">{errors[at]}</p>}
    </fieldset>
  )
}
