import { useState } from 'react'
import { SelectField, Switch, TextAreaField, TextField } from '../../ui/field.tsx'
import { fieldKind, fieldsOf, resolved, type Schema } from './schema.ts'

type Values = Readonly<Record<string, unknown>>

interface SchemaFormProps {
  readonly schema: Schema
  readonly value: Values
  onChange(value: Values): void
  /** By the place of the field, `a.b`. */
  readonly errors?: Readonly<Record<string, string>>
}

/** A form made from a JSON schema. A field that is emptied is left out of the value. */
export function SchemaForm({ schema, value, onChange, errors = {} }: SchemaFormProps) {
  return <Fields schema={resolved(schema, schema)} root={schema} value={value} onChange={onChange} errors={errors} at="" />
}

interface FieldsProps extends SchemaFormProps {
  readonly root: Schema
  readonly errors: Readonly<Record<string, string>>
  readonly at: string
}

function Fields({ schema, root, value, onChange, errors, at }: FieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      {fieldsOf(schema).map(([name, field]) => {
        const place = at === '' ? name : `${at}.${name}`
        return (
          <SchemaField
            key={name}
            name={name}
            schema={resolved(field, root)}
            root={root}
            required={schema.required?.includes(name) ?? false}
            value={value[name]}
            errors={errors}
            at={place}
            onChange={(next) => {
              const { [name]: _old, ...rest } = value
              onChange(next === undefined ? rest : { ...value, [name]: next })
            }}
          />
        )
      })}
    </div>
  )
}

interface SchemaFieldProps {
  readonly name: string
  readonly schema: Schema
  readonly root: Schema
  readonly required: boolean
  readonly value: unknown
  readonly errors: Readonly<Record<string, string>>
  readonly at: string
  onChange(value: unknown): void
}

function SchemaField({ name, schema, root, required, value, errors, at, onChange }: SchemaFieldProps) {
  const frame = { label: schema.title ?? name, hint: schema.description, required, error: errors[at] }
  switch (fieldKind(schema)) {
    case 'boolean':
      return <Switch label={frame.label} hint={frame.hint} checked={value === true} onChange={onChange} />
    case 'choice': {
      const choices = schema.enum ?? []
      const options = [
        { value: '', label: required ? 'Choose…' : '–' },
        ...choices.map((each, index) => ({ value: String(index), label: String(each) })),
      ]
      const chosen = choices.indexOf(value)
      return (
        <SelectField
          {...frame}
          options={options}
          value={chosen < 0 ? '' : String(chosen)}
          onChange={(event) => onChange(event.target.value === '' ? undefined : choices[Number(event.target.value)])}
        />
      )
    }
    case 'number':
    case 'integer':
      return <NumberField {...frame} value={value} onChange={onChange} />
    case 'text':
      return (
        <TextField
          {...frame}
          type={schema.format === 'password' ? 'password' : 'text'}
          placeholder={schema.format === 'date-time' ? '2030-01-31T09:00:00Z' : undefined}
          maxLength={schema.maxLength}
          value={typeof value === 'string' ? value : ''}
          onChange={(event) => onChange(event.target.value === '' && !required ? undefined : event.target.value)}
        />
      )
    case 'object':
      return (
        <fieldset className="rounded-md border border-line p-4">
          <legend className="px-1 font-medium">{frame.label}</legend>
          <Fields
            schema={schema}
            root={root}
            value={typeof value === 'object' && value !== null ? (value as Values) : {}}
            errors={errors}
            at={at}
            onChange={(next) => onChange(Object.keys(next).length === 0 && !required ? undefined : next)}
          />
        </fieldset>
      )
    case 'json':
      return <JsonField {...frame} value={value} onChange={onChange} />
  }
}

interface ValueFieldProps {
  readonly label: string
  readonly hint: string | undefined
  readonly required: boolean
  readonly error: string | undefined
  readonly value: unknown
  onChange(value: unknown): void
}

/** What is typed stays as it is typed; only what can be read as a number becomes one. */
function NumberField({ value, onChange, error, ...frame }: ValueFieldProps) {
  const [text, setText] = useState(value === undefined || value === null ? '' : String(value))
  const isWrong = text.trim() !== '' && Number.isNaN(Number(text))
  return (
    <TextField
      {...frame}
      inputMode="decimal"
      value={text}
      error={isWrong ? 'This is not a number' : error}
      onChange={(event) => {
        setText(event.target.value)
        const number = Number(event.target.value)
        onChange(event.target.value.trim() === '' ? undefined : Number.isNaN(number) ? event.target.value : number)
      }}
    />
  )
}

function JsonField({ value, onChange, error, ...frame }: ValueFieldProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2))
  const [isWrong, setWrong] = useState(false)
  const read = (next: string) => {
    setText(next)
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next))
      setWrong(false)
    } catch {
      setWrong(true)
    }
  }
  return (
    <TextAreaField
      {...frame}
      spellCheck={false}
      className="font-mono text-sm"
      placeholder="JSON"
      value={text}
      error={isWrong ? 'This is not JSON yet' : error}
      onChange={(event) => read(event.target.value)}
    />
  )
}
