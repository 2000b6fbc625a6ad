import { useState } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { SchemaForm } from '../schema-form/schema-form.tsx'
import { type FieldErrors, validateValue } from '../schema-form/validate-value.ts'
import { type BlockFields, referencedId, referenceTo, splitIntoSections, withSecretMasks } from './block-fields.ts'
import { BlockPicker } from './block-picker.tsx'

type Values = Readonly<Record<string, unknown>>

interface BlockFormProps {
  readonly fields: BlockFields
  readonly initialValues: Values
  /** Stored secrets: never shown, and kept unless a new value is entered. */
  readonly maskedSecrets?: readonly string[]
  /** True for a new block. Existing blocks cannot be renamed. */
  readonly withName?: boolean
  onSave(data: Record<string, unknown>, name: string): Promise<void>
}

/** Form built from the schema of a block. */
export function BlockForm({ fields, initialValues, maskedSecrets = [], withName = false, onSave }: BlockFormProps) {
  const [values, setValues] = useState(initialValues)
  const [name, setName] = useState('')
  const [errors, setErrors] = useState<FieldErrors>({})
  const [formError, setFormError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const sections = splitIntoSections(fields, maskedSecrets)

  const save = async () => {
    const found = Object.assign(
      {},
      ...sections.flatMap(({ schema }) => (schema ? [validateValue(schema, fields, pick(values, schema))] : [])),
    ) as Record<string, string>
    for (const { reference } of sections)
      if (reference?.required && referencedId(values[reference.name]) === undefined) found[reference.name] = 'Select a block'
    setErrors(found)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    setFormError(undefined)
    try {
      await onSave(withSecretMasks(values, maskedSecrets), name)
    } catch (error) {
      const { title, detail, requestId } = describeError(error)
      setFormError([title, detail, requestId && `Request ${requestId}`].filter(Boolean).join('. '))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
      className="flex max-w-2xl flex-col gap-4"
    >
      {withName && (
        <TextField
          label="Name"
          required
          autoFocus
          hint="Lowercase letters, digits and dashes. Flows load the block by this name."
          value={name}
          error={name !== '' && !/^[a-z0-9-]+$/.test(name) ? 'Use only lowercase letters, digits and dashes' : undefined}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      {sections.map(({ schema, reference }) =>
        reference ? (
          <BlockPicker
            key={reference.name}
            label={reference.field.title ?? reference.name}
            hint={reference.field.description}
            slugs={reference.slugs}
            chosen={referencedId(values[reference.name])}
            error={errors[reference.name]}
            onChoose={(id) => setValues(id === undefined ? without(values, [reference.name]) : { ...values, [reference.name]: referenceTo(id) })}
          />
        ) : schema ? (
          <SchemaForm
            key={Object.keys(schema.properties ?? {}).join(' ')}
            schema={schema}
            value={pick(values, schema)}
            errors={errors}
            onChange={(next) => setValues({ ...without(values, Object.keys(schema.properties ?? {})), ...next })}
          />
        ) : null,
      )}
      {formError && (
        <p role="alert" className="text-danger">
          {formError}
        </p>
      )}
      <div>
        <Button type="submit" variant="primary" busy={busy} disabled={withName && !/^[a-z0-9-]+$/.test(name)}>
          Save
        </Button>
      </div>
    </form>
  )
}

const pick = (values: Values, { properties = {} }: BlockFields): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(properties, name)))

const without = (values: Values, names: readonly string[]): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)))
