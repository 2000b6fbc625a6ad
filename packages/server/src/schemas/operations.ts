import type { SchemaValuesValidationResponse } from '@millrace/contracts/schema-validation.ts'
import { type Fault, FormChecker, faultsMax, faultTree, InvalidSchema } from './form-checker.ts'
import { type BlockData, JobTemplateChecker, type TemplateVerdict } from './job-template.ts'
import type { Resolved } from './placeholders.ts'
import type { Phase, SchemaOptions, SchemaRefusal } from './refusal.ts'
import { SchemaChecker, truncate } from './schema-checker.ts'

/** The operations of the worker thread. Schemas, values and templates are JSON text. */
export interface Operations {
  check(request: { schema: string; value: string; options: SchemaOptions }): SchemaRefusal | undefined
  checkSchema(request: { schema: string }): SchemaRefusal | undefined
  checkForm(request: { schema: string; values: string; variables: readonly (readonly [name: string, value: string])[] }): Promise<FormVerdict>
  checkDefaults(request: { schema: string; blocks: BlockData | undefined }): TemplateVerdict
  checkVariables(request: { schema: string; layers: readonly string[]; partial: boolean; blocks: BlockData | undefined }): TemplateVerdict
}

export type FormVerdict = { readonly badSchema: string } | { readonly answer: SchemaValuesValidationResponse }

/** `schema` is the text that determines the cost of a request: a schema, or a template that contains one. */
export type Request = { [K in keyof Operations]: { readonly operation: K; readonly request: Parameters<Operations[K]>[0] } }[keyof Operations]

export function createOperations(enter: (phase: Phase) => void): Operations {
  const checker = new SchemaChecker(enter)
  const forms = new FormChecker(enter)
  const templates = new JobTemplateChecker(checker)
  return {
    check: ({ schema, value, options }) => checker.check(schema, JSON.parse(value), options),
    checkSchema: ({ schema }) => checker.checkSchema(schema),
    checkForm: ({ schema, values, variables }) => checkForm(forms, schema, values, variables),
    checkDefaults: ({ schema, blocks }) => templates.checkDefaults(schema, blocks),
    checkVariables: ({ schema, layers, partial, blocks }) => templates.checkVariables(schema, layers, partial, blocks),
  }
}

/** Validates the values of a form. Values that are only known at run time count as valid. */
async function checkForm(forms: FormChecker, schema: string, text: string, variables: readonly (readonly [string, string])[]): Promise<FormVerdict> {
  const { values, unresolved } = await resolveValues(text, variables)
  const unresolvable = unresolved.flatMap(({ path, reason }): Fault[] => (reason === null ? [] : [{ path, message: truncate(reason) }]))
  try {
    const errors = faultTree([...forms.check(schema, values), ...unresolvable].slice(0, faultsMax))
    return { answer: { errors, valid: errors.length === 0 } }
  } catch (error) {
    if (error instanceof InvalidSchema) return { badSchema: error.message }
    throw error
  }
}

/** Loads the template engine only for forms with placeholders, because loading it from source takes a third of a second. */
async function resolveValues(text: string, variables: readonly (readonly [string, string])[]): Promise<Resolved> {
  const values: unknown = JSON.parse(text)
  if (!text.includes('__prefect_kind')) return { values, unresolved: [] }
  const { resolvePlaceholders } = await import('./placeholders.ts')
  return resolvePlaceholders(values, new Map(variables.map(([name, value]) => [name, JSON.parse(value)])))
}
