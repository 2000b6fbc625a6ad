import { toList } from '@millrace/client/vocabulary/event-trigger.ts'
import type { ResourceSpecification } from '@millrace/contracts/event-filter.ts'
import { useState } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { type Suggestion, TokenField } from './token-field.tsx'

const knownLabels = ['prefect.resource.id', 'prefect.resource.name', 'prefect.resource.role', 'prefect.state-type', 'prefect.state-name']

interface LabelsFieldProps {
  readonly label: string
  readonly hint: string
  readonly spec: ResourceSpecification
  onChange(spec: ResourceSpecification): void
  readonly error?: string | undefined
  /** Suggested resource ids. */
  readonly resources?: readonly Suggestion[] | undefined
}

/** Labels with their accepted values. */
export function LabelsField({ label, hint, spec, onChange, error, resources }: LabelsFieldProps) {
  const [adding, setAdding] = useState('')
  const add = () => {
    const name = adding.trim()
    setAdding('')
    if (name !== '' && !(name in spec)) onChange({ ...spec, [name]: [] })
  }
  const id = `labels-${label.replaceAll(/\W+/g, '-').toLowerCase()}`
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="font-medium">{label}</legend>
      {Object.entries(spec).map(([name, value]) => (
        <div key={name} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <TokenField
              label={name}
              tokens={toList(value)}
              suggestions={name === 'prefect.resource.id' ? resources : undefined}
              placeholder="One or more values. * matches any text, ! negates."
              onChange={(values) => onChange({ ...spec, [name]: values.length === 1 ? (values[0] as string) : values })}
            />
          </div>
          <IconButton
            icon="cross"
            label={`Remove label ${name}`}
            className="mt-6"
            onClick={() => onChange(Object.fromEntries(Object.entries(spec).filter(([each]) => each !== name)))}
          />
        </div>
      ))}
      <div className="flex gap-2">
        <input
          aria-label={`Label name for ${label}`}
          placeholder="prefect.resource.id"
          list={id}
          value={adding}
          onChange={(event) => setAdding(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
          className="field min-w-0 flex-1 font-mono text-sm"
        />
        <datalist id={id}>
          {knownLabels
            .filter((each) => !(each in spec))
            .map((each) => (
              <option key={each} value={each} />
            ))}
        </datalist>
        <Button icon="plus" onClick={add} disabled={adding.trim() === ''}>
          Add label
        </Button>
      </div>
      <p className="text-faint text-sm">{hint}</p>
      {error && <p className="text-danger text-sm">{error}</p>}
    </fieldset>
  )
}
