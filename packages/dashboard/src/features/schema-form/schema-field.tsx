import { SelectField, Switch, TextAreaField, TextField } from '../../ui/field.tsx'
import { ChoiceField } from './choice-field.tsx'
import { DateTimeField } from './date-time-field.tsx'
import { fieldKind } from './field-kind.ts'
import type { SchemaFieldProps } from './field-props.ts'
import { IsoDurationField } from './iso-duration-field.tsx'
import { JsonField } from './json-field.tsx'
import type { Schema } from './json-schema.ts'
import { ListField } from './list-field.tsx'
import { MapField } from './map-field.tsx'
import { NumberField } from './number-field.tsx'
import { orderedFields, resolveSchema } from './resolve-schema.ts'
import { UnionField } from './union-field.tsx'
import type { FieldErrors } from './validate-value.ts'

type Values = Readonly<Record<string, unknown>>

interface ObjectFieldsProps {
  readonly schema: Schema
  readonly root: Schema
  readonly value: Values
  readonly errors: FieldErrors
  readonly at: string
  onChange(value: Values): void
}

export function ObjectFields({ schema, root, value, onChange, errors, at }: ObjectFieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      {orderedFields(schema).map(([name, field]) => (
        <SchemaField
          key={name}
          label={resolveSchema(field, root).title ?? name}
          schema={field}
          root={root}
          required={schema.required?.includes(name) ?? false}
          value={value[name]}
          errors={errors}
          path={at === '' ? name : `${at}.${name}`}
          onChange={(next) => {
            const { [name]: _old, ...rest } = value
            onChange(next === undefined ? rest : { ...value, [name]: next })
          }}
        />
      ))}
    </div>
  )
}

/** A field for one value, selected by its schema. */
function SchemaField({ label, schema, root, required, isNested: isPart = false, value, errors, path: at, onChange }: SchemaFieldProps) {
  const inner = resolveSchema(schema, root)
  const frame = { label, hint: inner.description, required: required && !isPart, error: errors[at] }
  const valued = { ...frame, value, onChange }
  /** Value of an emptied field: null if the schema allows it, else undefined. */
  const noValue = inner.nullable && (required || inner.default === null) ? null : undefined
  const emptied = (next: unknown) => onChange(next === undefined || next === '' ? (required && !inner.nullable ? next : noValue) : next)
  const text = {
    ...frame,
    placeholder: exampleOf(inner),
    value: typeof value === 'string' ? value : '',
    onChange: (event: { target: { value: string } }) => emptied(event.target.value),
  }
  const within = { schema: inner, root, errors, at }
  const render = (props: SchemaFieldProps) => <SchemaField {...props} />

  switch (fieldKind(inner)) {
    case 'boolean':
      return inner.nullable ? (
        <SelectField
          {...frame}
          options={[
            { value: '', label: '–' },
            { value: 'true', label: 'Yes' },
            { value: 'false', label: 'No' },
          ]}
          value={typeof value === 'boolean' ? String(value) : ''}
          onChange={(event) => onChange(event.target.value === '' ? noValue : event.target.value === 'true')}
        />
      ) : (
        <Switch label={label} hint={frame.error ?? frame.hint} checked={value === true} onChange={onChange} />
      )
    case 'const':
      return <TextField {...frame} value={String(inner.const)} readOnly className="bg-sunken" />
    case 'choice':
      return <ChoiceField {...valued} choices={inner.enum ?? []} onChange={emptied} />
    case 'number':
    case 'integer':
      return <NumberField {...valued} schema={inner} onChange={emptied} />
    case 'text':
      return <TextField {...text} maxLength={inner.maxLength} />
    case 'long-text':
      return <TextAreaField {...text} maxLength={inner.maxLength} rows={5} spellCheck={false} />
    case 'password':
      return <TextField {...text} type="password" autoComplete="new-password" />
    case 'date':
      return <TextField {...text} type="date" />
    case 'date-time':
      return <DateTimeField {...valued} onChange={emptied} />
    case 'duration':
      return <IsoDurationField {...valued} onChange={emptied} />
    case 'object':
      return (
        <fieldset className="min-w-0 rounded-md border border-line px-4 pt-2 pb-4">
          <legend className="px-1 font-medium">
            {label}
            {frame.required && <span className="text-danger"> *</span>}
          </legend>
          {frame.hint && <p className="pb-3 text-faint text-sm">{frame.hint}</p>}
          {frame.error && <p className="pb-3 text-danger text-sm">{frame.error}</p>}
          <ObjectFields
            {...within}
            value={isObject(value) ? value : {}}
            onChange={(next) => onChange(Object.keys(next).length === 0 && !required ? noValue : next)}
          />
        </fieldset>
      )
    case 'list':
      return (
        <ListField {...valued} {...within} onChange={(next) => onChange(next.length === 0 && !required ? noValue : next)}>
          {render}
        </ListField>
      )
    case 'map':
      return (
        <MapField {...valued} {...within} onChange={(next) => onChange(Object.keys(next).length === 0 && !required ? noValue : next)}>
          {render}
        </MapField>
      )
    case 'union':
      return (
        <UnionField {...valued} {...within} noValue={noValue}>
          {render}
        </UnionField>
      )
    case 'json':
      return <JsonField {...valued} onChange={emptied} />
  }
}

const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value)

const exampleOf = ({ examples }: Schema): string | undefined => (typeof examples?.[0] === 'string' ? `e.g. ${examples[0]}` : undefined)
