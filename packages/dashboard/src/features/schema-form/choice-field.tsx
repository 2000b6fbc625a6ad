import { SelectField } from '../../ui/field.tsx'
import { isSame } from './exact-json.ts'
import type { ValueFieldProps } from './field-frame.ts'

/** One of a few values, which need not be texts. */
export function ChoiceField({ choices, value, onChange, ...frame }: ValueFieldProps & { readonly choices: readonly unknown[] }) {
  const words = choices.map((each, index) => ({ value: String(index), label: typeof each === 'string' ? each : JSON.stringify(each) }))
  const chosen = choices.findIndex((each) => isSame(each, value))
  return (
    <SelectField
      {...frame}
      options={[{ value: '', label: frame.required ? 'Choose…' : '–' }, ...words]}
      value={chosen < 0 ? '' : String(chosen)}
      onChange={(event) => onChange(event.target.value === '' ? undefined : choices[Number(event.target.value)])}
    />
  )
}
