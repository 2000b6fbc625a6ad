import { SelectField } from '../../ui/field.tsx'
import type { ValueFieldProps } from './field-props.ts'
import { isSameJson } from './json-input.ts'

/** Selects one of the values of an enum, of any type. */
export function ChoiceField({ choices, value, onChange, ...frame }: ValueFieldProps & { readonly choices: readonly unknown[] }) {
  const words = choices.map((each, index) => ({ value: String(index), label: typeof each === 'string' ? each : JSON.stringify(each) }))
  const chosen = choices.findIndex((each) => isSameJson(each, value))
  return (
    <SelectField
      {...frame}
      options={[{ value: '', label: frame.required ? 'Choose…' : '–' }, ...words]}
      value={chosen < 0 ? '' : String(chosen)}
      onChange={(event) => onChange(event.target.value === '' ? undefined : choices[Number(event.target.value)])}
    />
  )
}
