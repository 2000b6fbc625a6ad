import type { Schema } from '../schema-form/json-schema.ts'

type Template = Readonly<Record<string, unknown>>

/** The variables of a job template. */
export const templateVariables = (template: Template): Schema | null => {
  const variables = template.variables
  return typeof variables === 'object' && variables !== null && 'properties' in variables ? (variables as Schema) : null
}

/** Default value of each variable. */
export function templateDefaults(template: Template): Record<string, unknown> {
  const properties = templateVariables(template)?.properties ?? {}
  return Object.fromEntries(Object.entries(properties).flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])))
}

/** Replaces the defaults of a template. A variable without a value has no default. */
export function withTemplateDefaults(template: Template, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const variables = templateVariables(template)
  if (!variables) return { ...template }
  const properties = Object.fromEntries(
    Object.entries(variables.properties ?? {}).map(([name, { default: _old, ...field }]) => [
      name,
      values[name] === undefined ? field : { ...field, default: values[name] },
    ]),
  )
  return { ...template, variables: { ...variables, properties } }
}
