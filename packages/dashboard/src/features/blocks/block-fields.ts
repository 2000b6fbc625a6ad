import type { BlockDocument } from '@millrace/contracts/block-document.ts'
import type { Schema } from '../schema-form/json-schema.ts'
import { defaultValues, orderedFields } from '../schema-form/resolve-schema.ts'

/** Mask that the server returns for a secret. Sent back, it keeps the stored secret. */
export const secretMask = '********'

export interface BlockFields extends Schema {
  readonly secret_fields?: readonly string[]
  readonly block_schema_references?: Readonly<Record<string, Reference | readonly Reference[]>>
}

interface Reference {
  readonly block_type_slug: string
}

/** Fields that refer to other blocks, with their allowed types. */
export function referenceFields({ block_schema_references: references = {} }: BlockFields): Map<string, string[]> {
  return new Map(
    Object.entries(references).map(([name, held]) => [
      name,
      (Array.isArray(held) ? held : [held as Reference]).map(({ block_type_slug }) => block_type_slug),
    ]),
  )
}

export interface ReferenceValue {
  readonly $ref: { readonly block_document_id: string }
}

export const referenceTo = (id: string): ReferenceValue => ({ $ref: { block_document_id: id } })

export const referencedId = (value: unknown): string | undefined => (value as ReferenceValue | undefined)?.$ref?.block_document_id

export interface FormSection {
  /** Consecutive plain fields. */
  readonly schema?: BlockFields
  /** A field that refers to another block. */
  readonly reference?: { readonly name: string; readonly slugs: readonly string[]; readonly field: Schema; readonly required: boolean }
}

/** The schema form has no field for another block, so the schema is split there. Fields keep the order of their author. */
export function splitIntoSections(fields: BlockFields, maskedSecrets: readonly string[] = []): FormSection[] {
  const references = referenceFields(fields)
  const sections: FormSection[] = []
  let run: [string, Schema][] = []
  const close = () => {
    if (run.length > 0)
      sections.push({
        schema: {
          ...fields,
          properties: Object.fromEntries(run),
          required: (fields.required ?? []).filter((name) => run.some(([each]) => each === name) && !maskedSecrets.includes(name)),
        },
      })
    run = []
  }
  for (const [name, field] of orderedFields(fields)) {
    const slugs = references.get(name)
    if (!slugs)
      run.push([
        name,
        maskedSecrets.includes(name) ? { ...field, description: `${field.description ?? ''} Leave empty to keep the current value.`.trim() } : field,
      ])
    else {
      close()
      sections.push({ reference: { name, slugs, field, required: fields.required?.includes(name) ?? false } })
    }
  }
  close()
  return sections
}

/** Stored secrets. Their fields are empty, and an empty field keeps the secret. */
export const listMaskedSecrets = ({ data }: Pick<BlockDocument, 'data'>): string[] =>
  Object.entries(data)
    .filter(([, value]) => value === secretMask)
    .map(([name]) => name)

/** Form values of a document: without masks, with other blocks as ids. */
export function toFormValues({
  data,
  block_document_references: references,
}: Pick<BlockDocument, 'data' | 'block_document_references'>): Record<string, unknown> {
  const values = Object.fromEntries(Object.entries(data).filter(([, value]) => value !== secretMask))
  for (const [name, { block_document: held }] of Object.entries(references)) {
    const id = (held as { id?: string } | undefined)?.id
    if (id !== undefined) values[name] = referenceTo(id)
  }
  return values
}

/** Default values, without those of nested blocks: the user selects these. */
export const initialBlockValues = (fields: BlockFields): Record<string, unknown> => {
  const references = referenceFields(fields)
  return Object.fromEntries(Object.entries(defaultValues(fields, fields)).filter(([name]) => !references.has(name)))
}

/** Values to send, with masks for secrets that were not entered. */
export const withSecretMasks = (values: Readonly<Record<string, unknown>>, maskedSecrets: readonly string[]): Record<string, unknown> => ({
  ...values,
  ...Object.fromEntries(maskedSecrets.filter((name) => values[name] === undefined || values[name] === '').map((name) => [name, secretMask])),
})

/** Python code that loads a block by name. */
export const loadSnippet = (slug: string, name: string): string =>
  `from prefect.blocks.core import Block\n\nblock = Block.load(${JSON.stringify(`${slug}/${name}`)})`

/** URLs of block types are untrusted: only web URLs become links. */
export const webUrl = (address: string | null | undefined): string | undefined => (address && /^https?:\/\//i.test(address) ? address : undefined)
