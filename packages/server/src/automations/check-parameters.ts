import type { Fault } from '../errors.ts'
import { parseJson } from '../lib/json.ts'
import { isJsonObject, JsonSyntaxError } from '../lib/json-exact.ts'
import { TemplateSyntaxError } from '../lib/template/errors.ts'
import { checkTemplate, isTemplate } from '../lib/template/template.ts'

type Loc = Fault['loc']

const kindKey = '__prefect_kind'

export function checkTemplateText(text: string, loc: Loc, faults: Fault[]): void {
  try {
    checkTemplate(text)
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error
    const msg = `Invalid template: ${error.message}${error.line > 0 ? ` (line ${error.line})` : ''}`
    faults.push({ loc, type: 'value_error', msg, input: text, ctx: { error: msg } })
  }
}

/** Checks the templates and placeholders in the parameters of an action, at any depth. */
export function checkParameters(value: unknown, loc: Loc, faults: Fault[]): void {
  if (typeof value === 'string') {
    if (isTemplate(value)) checkTemplateText(value, loc, faults)
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkParameters(item, [...loc, index], faults)
  } else if (isJsonObject(value)) {
    if (kindKey in value) checkPlaceholder(value, loc, faults)
    else for (const [key, inner] of Object.entries(value)) checkParameters(inner, [...loc, key], faults)
  }
}

function checkPlaceholder(placeholder: Record<string, unknown>, loc: Loc, faults: Fault[]): void {
  const missing = (key: string): void => {
    const msg = `Placeholder is missing "${key}".`
    faults.push({ loc: [...loc, key], type: 'value_error', msg, ctx: { error: msg } })
  }
  const { [kindKey]: kind, value, template } = placeholder
  if (kind === 'none') {
    if (value === undefined) missing('value')
    else checkParameters(value, [...loc, 'value'], faults)
  } else if (kind === 'json') {
    if (isJsonObject(value)) checkParameters(value, [...loc, 'value'], faults)
    else if (typeof value === 'string') checkJson(value, [...loc, 'value'], faults)
  } else if (kind === 'jinja') {
    if (isJsonObject(template)) checkParameters(template, [...loc, 'template'], faults)
    else if (typeof template === 'string') checkTemplateText(template, [...loc, 'template'], faults)
    else missing('template')
  }
}

function checkJson(text: string, loc: Loc, faults: Fault[]): void {
  try {
    parseJson(text)
  } catch (error) {
    const reason = error instanceof JsonSyntaxError ? `${error.message} at ${error.position}` : 'nested too deep'
    faults.push({ loc, type: 'value_error', msg: `Invalid JSON: ${reason}`, input: text, ctx: { error: reason } })
  }
}
