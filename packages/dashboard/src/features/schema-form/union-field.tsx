import { type ReactNode, useState } from 'react'
import { Segmented } from '../../ui/segmented.tsx'
import { branchWords } from './branch-words.ts'
import { branchIndex, type Faults } from './check-value.ts'
import type { SchemaFieldProps, ValueFieldProps } from './field-frame.ts'
import { branchesOf } from './field-kind.ts'
import { emptyOf } from './schema.ts'
import type { Schema } from './schema-shape.ts'

interface UnionFieldProps extends ValueFieldProps {
  readonly schema: Schema
  readonly root: Schema
  readonly errors: Faults
  readonly at: string
  /** What stands for no value at all. */
  readonly nothing: null | undefined
  children(props: SchemaFieldProps): ReactNode
}

/** A value that may be of several kinds: first which, then the value. */
export function UnionField({ label, hint, required, value, onChange, schema, root, errors, at, nothing, children }: UnionFieldProps) {
  const branches = branchesOf(schema)
  const [chosen, setChosen] = useState(() => (value === undefined || value === null ? undefined : branchIndex(branches, root, value)))
  const isOptional = !required || schema.orNull === true
  const index = chosen ?? (isOptional ? undefined : 0)
  const words = branchWords(branches, root)
  const branch = index === undefined ? undefined : branches[index]
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border border-line px-4 pt-1 pb-3">
      <legend className="px-1 font-medium">
        {label}
        {required && <span className="text-danger"> *</span>}
      </legend>
      {hint && <p className="text-faint text-sm">{hint}</p>}
      <div>
        <Segmented
          label={`Kind of ${label}`}
          value={index === undefined ? 'none' : String(index)}
          options={[
            ...(isOptional ? [{ value: 'none', label: 'Nothing' }] : []),
            ...words.map((word, place) => ({ value: String(place), label: word })),
          ]}
          onChange={(next) => {
            setChosen(next === 'none' ? undefined : Number(next))
            onChange(next === 'none' ? nothing : emptyOf(branches[Number(next)] ?? {}, root))
          }}
        />
      </div>
      {branch &&
        children({
          label: words[index ?? 0] ?? label,
          schema: { ...branch, title: words[index ?? 0] ?? label },
          root,
          required: true,
          isPart: true,
          value,
          errors,
          at,
          onChange,
        })}
      {!branch && errors[at] && <p className="text-danger text-sm">{errors[at]}</p>}
    </fieldset>
  )
}
